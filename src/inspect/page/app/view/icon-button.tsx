/** A button that shows a drawing; its label is for those who do not see it. */
interface IconButtonProps {
  readonly label: string
  /** Shown under the pointer. @default the label */
  readonly title?: string
  /** An SVG path on 14 × 14, drawn as a line. */
  readonly path: string
  readonly disabled?: boolean
  readonly onClick: () => void
}

export function IconButton({ label, title = label, path, disabled = false, onClick }: IconButtonProps) {
  return (
    <button type="button" class="icon" title={title} aria-label={label} disabled={disabled} onClick={onClick}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  )
}
