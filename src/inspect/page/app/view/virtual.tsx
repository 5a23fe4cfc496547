/** A list of lines of one height, of which only those are made that are to be seen. */
import type { ComponentChildren, HTMLAttributes, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const overscan = 8

export interface VirtualProps {
  readonly count: number
  readonly lineHeight: number
  /** @param key of its place: a line that has left one end of the list is used again at the other */
  readonly line: (index: number, key: number) => ComponentChildren
  /** Is kept in view when it changes. */
  readonly current?: number
  /** Stands above the lines and stays there. */
  readonly head?: ComponentChildren
  readonly headHeight?: number
  readonly attributes?: HTMLAttributes<HTMLDivElement>
  readonly scroller?: RefObject<HTMLDivElement | null>
  readonly class?: string
}

export function Virtual(props: VirtualProps) {
  const { count, lineHeight, line, current, head, headHeight = 0, attributes, scroller } = props
  const own = useRef<HTMLDivElement>(null)
  const box = scroller ?? own
  const [{ top, height }, setView] = useState({ top: 0, height: 600 })

  useEffect(() => {
    const element = box.current!
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight })
    const sized = new ResizeObserver(look)
    sized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      sized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box])

  useLayoutEffect(() => {
    const element = box.current!
    if (current === undefined || current < 0) return
    const from = current * lineHeight
    const seen = element.clientHeight - headHeight
    if (from < element.scrollTop) element.scrollTop = from
    else if (from + lineHeight > element.scrollTop + seen) element.scrollTop = from + lineHeight - seen
  }, [current, lineHeight, headHeight, box])

  const first = Math.max(0, Math.floor(top / lineHeight) - overscan)
  const last = Math.min(count, Math.ceil((top + height) / lineHeight) + overscan)
  const places = Math.ceil(height / lineHeight) + 2 * overscan + 1
  const lines: ComponentChildren[] = []
  for (let index = first; index < last; index++) lines.push(line(index, index % places))
  return (
    <div ref={box} class={`virtual ${props.class ?? ''}`} {...attributes}>
      {head}
      <div class="lines" role="presentation" style={{ height: `${count * lineHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * lineHeight}px)` }}>
          {lines}
        </div>
      </div>
    </div>
  )
}
