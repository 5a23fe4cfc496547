import { describe, expect, it } from 'vitest'
import { fitWidth, padWidth, textWidth } from '../../../src/cli/output/text-width.ts'

describe('the width of a text on a terminal', () => {
  it('C5: is two columns for East Asian characters and emoji, none for marks and joiners', () => {
    const widths = {
      'a b': 3,
      ü: 1,
      'u\u0308': 1,
      漢字: 4,
      'かな。': 6,
      ｱ: 1,
      한국: 4,
      Ａ: 2,
      '😀': 2,
      '👨‍👩‍👧': 2,
      '🇩🇪': 2,
      '❤': 1,
      '❤️': 2,
      '1️⃣': 2,
      '\u200b\u200d\ufeff': 0,
      '│└─…': 4,
      '': 0,
    }
    expect(Object.fromEntries(Object.keys(widths).map((text) => [text, textWidth(text)]))).toEqual(widths)
  })

  it('C5: is kept to, with an ellipsis, and no character is cut in two', () => {
    expect(fitWidth('abcdef', 6)).toBe('abcdef')
    expect(fitWidth('abcdef', 4)).toBe('abc…')
    expect(fitWidth('漢字漢字', 8)).toBe('漢字漢字')
    expect(fitWidth('漢字漢字', 7)).toBe('漢字漢…')
    expect(fitWidth('漢字漢字', 6)).toBe('漢字…')
    expect(fitWidth('a👨‍👩‍👧b', 3)).toBe('a…')
    expect(fitWidth('abc', 1)).toBe('…')
    expect(fitWidth('漢', 1)).toBe('…')
    expect(fitWidth('abc', 0)).toBe('')
    for (const text of ['abcdef', '漢字漢字', 'a👨‍👩‍👧b漢', 'e\u0301'.repeat(9)])
      for (let width = 0; width < 12; width++) expect(textWidth(fitWidth(text, width)), `${text} ${width}`).toBeLessThanOrEqual(width)
  })

  it('C5: of a letter with hundreds of marks only the letter is shown', () => {
    expect(fitWidth(`a${'\u0301'.repeat(500)}b`, 5)).toBe('ab')
  })

  it('C5: is filled with spaces on either side', () => {
    expect(padWidth('漢', 4)).toBe('漢  ')
    expect(padWidth('漢', 4, 'end')).toBe('  漢')
    expect(padWidth('abcdef', 4)).toBe('abcdef')
  })
})
