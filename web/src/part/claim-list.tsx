import type { ClaimRow } from '../../../src/insight/top/top.ts'
import { readableAmount } from '../format/readable-amount.ts'
import { ToExplanation } from './links.tsx'

const KIND = 'ResourcePoolClaim'

/** Claims with what has become of them. */
export function ClaimList({ claims }: { readonly claims: readonly ClaimRow[] }) {
  if (claims.length === 0) return <p class="quiet">No claim was found.</p>
  return (
    <ul class="cards">
      {claims.map(({ namespace, name, pool, state, bound, amounts, position, reason }) => (
        <li key={name}>
          <p class="title">
            <ToExplanation object={{ namespace, kind: KIND, name }} />
          </p>
          <p>
            {[
              state,
              ...(position === undefined ? [] : [`place ${position}`]),
              ...(pool === '' ? [] : [`pool ${pool}`]),
              ...(bound ? ['in use'] : []),
            ].join(', ')}
          </p>
          <Amounts amounts={amounts} />
          {reason === '' ? null : <p>{reason}</p>}
        </li>
      ))}
    </ul>
  )
}

/** Amounts by resource name, the exact ones in their titles. */
export function Amounts({ amounts }: { readonly amounts: Readonly<Record<string, string>> }) {
  return (
    <p class="quiet">
      {Object.entries(amounts).map(([resource, amount], index) => (
        <span key={resource} title={`exactly ${amount}`}>
          {index === 0 ? '' : ', '}
          {resource} {readableAmount(amount, resource)}
        </span>
      ))}
    </p>
  )
}
