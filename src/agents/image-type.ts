/** The media type of an image by its first bytes, for images that come without one. */
const signatures: readonly (readonly [mediaType: string, bytes: string])[] = [
  ['image/png', '\x89PNG'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['image/bmp', 'BM'],
  ['image/tiff', 'II*\0'],
  ['image/tiff', 'MM\0*'],
]

/** @returns undefined where it is none that is known, or no base64 */
export function imageTypeOf(base64: string): string | undefined {
  let start: string
  try {
    start = atob(base64.slice(0, 32))
  } catch {
    return undefined
  }
  if (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') return 'image/webp'
  const brand = start.slice(4, 12)
  if (brand === 'ftypavif' || brand === 'ftypheic') return `image/${brand.slice(4)}`
  return signatures.find(([, bytes]) => start.startsWith(bytes))?.[0]
}
