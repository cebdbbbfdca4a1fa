import type { QuotaRow } from '../data/answer.ts'
import { exhaustionText } from '../format/exhaustion-text.ts'
import { readableAmount } from '../format/readable-amount.ts'
import { ToNamespace } from './links.tsx'
import { UseBar } from './use-bar.tsx'

/** The columns of `LimitLine`. */
export const LIMIT_COLUMNS = ['Namespace', 'Quota', 'Resource', 'Use', 'Forecast']

/** One limit of a quota in a line. */
export function LimitLine({ row }: { readonly row: QuotaRow }) {
  const { namespace, kind, name, resource } = row
  return (
    <div class="line limit">
      <span class="cell" title={namespace}>
        <ToNamespace namespace={namespace} />
      </span>
      <span class="cell" title={`${kind} ${name}`}>
        <span class="kind">{kind}</span> {name} <OwnPart row={row} />
      </span>
      <span class="cell" title={resource}>
        {resource}
      </span>
      <UseBar row={row} filled={row} />
      <FullIn row={row} />
    </div>
  )
}

/** What one namespace uses of a limit of several. */
export function OwnPart({ row: { usedInNamespace, resource, hard } }: { readonly row: QuotaRow }) {
  if (usedInNamespace === undefined) return null
  return <span class="own-part">(this namespace: {readableAmount(usedInNamespace, resource, hard)})</span>
}

/** When the limit will be full, where its history tells. */
export function FullIn({ row }: { readonly row: QuotaRow }) {
  return <span class="cell full-in">{exhaustionText(row)}</span>
}

export const limitKey = ({ namespace, kind, name, resource }: QuotaRow): string =>
  [namespace, kind, name, resource].join('/')
