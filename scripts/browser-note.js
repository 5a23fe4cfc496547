/** The last word of `npm test`: what it left out. */
console.log('Skipped: the tests of the page in a browser. They need chromium: npm run test:browser')
