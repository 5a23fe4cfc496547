/** What is thrown to whoever still works for a turn that has ended: an AbortError. */
export const turnIsOver = (): DOMException => new DOMException('The turn is over.', 'AbortError')
