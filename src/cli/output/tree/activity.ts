/** The last thing that a child did, as one line of words. */
import type { Json, SubagentUpdate } from '../../../types.ts'

/** What is kept of a text that streams in, in characters. */
const textKept = 2000
const longest = 200

export interface Activity {
  /** Takes an update in. */
  add(update: SubagentUpdate): void
  /** `''` before there was any. */
  line(): string
}

/** @param clean makes a text fit to be shown; it is given whole words, so that it knows a key when it sees one */
export function activity(clean: (text: string) => string): Activity {
  let text = ''
  let stream: string | undefined
  let line = ''
  const toolNames = new Map<string, string>()
  const say = (words: string) => {
    stream = undefined
    line = clean(words.slice(0, textKept)).slice(0, longest)
  }
  const streamed = (key: string, more: string) => {
    text = stream === key ? text + more : more
    // What is cut off in front goes to the end of its word.
    if (text.length > textKept) text = text.slice(-textKept).replace(/^[\u0021-\u007e]*/, '')
    stream = key
  }
  return {
    add(update) {
      switch (update.type) {
        case 'text':
        case 'thought':
          return streamed(`${update.type} ${update.messageId ?? ''}`, update.text)
        case 'tool-call':
          toolNames.set(update.toolCallId, update.name)
          return say([update.name, ...wordsIn(update.input)].join(' '))
        case 'tool-result':
          // Of one that went well, the words of its call say more than that it is done.
          if (update.status === 'error') say(`${toolNames.get(update.toolCallId) ?? 'a tool'} failed`)
          toolNames.delete(update.toolCallId)
          return
        case 'plan': {
          const entry =
            update.entries.find(({ status }) => status === 'in_progress') ?? update.entries.find(({ status }) => status !== 'completed')
          return entry && say(entry.content)
        }
        case 'permission':
          return say(update.request.title)
        case 'ready':
        case 'usage':
        case 'raw':
          return
      }
    },
    line: () => (stream === undefined ? line : clean(lastSentence(text.replace(/[\u0021-\u007e]*$/, ''))).slice(0, longest)),
  }
}

/** The sentence or line that is being written, without a word that may go on. */
function lastSentence(text: string): string {
  const sentences = text.split(/\n|(?<=[.!?])\s+/)
  return sentences.findLast((sentence) => sentence.trim() !== '') ?? ''
}

function wordsIn(input: Json | undefined): string[] {
  const values: readonly unknown[] = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  return values.flatMap((value) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []))
}
