/** Breaks each line of `text` between words so that none is longer than `width`, where words allow. */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      const lines: string[] = []
      let current = ''
      for (const word of line.split(' ')) {
        if (current !== '' && current.length + 1 + word.length > width) {
          lines.push(current)
          current = word
        } else current = current === '' ? word : `${current} ${word}`
      }
      return [...lines, current].join('\n')
    })
    .join('\n')
}
