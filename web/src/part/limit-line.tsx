import type { QuotaRow } from '../data/answer.ts'
import { exhaustionText } from '../format/exhaustion-text.ts'
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
        <span class="kind">{kind}</span> {name}
      </span>
      <span class="cell" title={resource}>
        {resource}
      </span>
      <UseBar row={row} filled={row} />
      <FullIn row={row} />
    </div>
  )
}

/** When the limit will be full, where its history tells. */
export function FullIn({ row }: { readonly row: QuotaRow }) {
  return <span class="cell full-in">{exhaustionText(row)}</span>
}

export const limitKey = ({ namespace, kind, name, resource }: QuotaRow): string =>
  [namespace, kind, name, resource].join('/')
