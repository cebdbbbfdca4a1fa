interface HeadsProps {
  readonly columns: readonly string[]
  /** The class of the lines below, which have the widths of the columns. */
  readonly line: string
}

/** The heads of columns, for the eye: the lines below say the same in words. */
export function Heads({ columns, line }: HeadsProps) {
  return (
    <div class={`heads ${line}`} aria-hidden="true">
      {columns.map((column) => (
        <span key={column}>{column}</span>
      ))}
    </div>
  )
}
