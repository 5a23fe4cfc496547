/** The head of an arrow, which a line names by its id: `marker-end="url(#tip-…)"`. */
export function ArrowTip({ name, class: ofClass }: { readonly name: string; readonly class?: string }) {
  return (
    <marker
      id={`tip-${name}`}
      class={ofClass}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="8"
      markerHeight="8"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path d="M0 .8 7.5 4 0 7.2Z" />
    </marker>
  )
}
