import { type Lacking, missingTexts } from '../format/missing-texts.ts'

interface MissingNoteProps {
  readonly answer: Lacking
  /** What the rows of the answer are, such as `refusals`. */
  readonly rows: string
  /** How to see the rest, where there is a way. */
  readonly hint?: string
}

/** How to see all that a namespace has, on a view with a field for its name. */
export const BY_NAMESPACE = 'Enter a namespace above to see all that it has.'

/** Says above a list that it lacks something, in the open: whoever reads the list would not expect it. */
export function MissingNote({ answer, rows, hint }: MissingNoteProps) {
  const texts = missingTexts(answer, rows)
  if (texts.length === 0) return null
  return (
    <div class="missing" role="note">
      <strong>Not all {rows} are shown.</strong> {hint}
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  )
}
