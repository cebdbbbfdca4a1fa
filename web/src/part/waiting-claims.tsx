import type { ClaimRow } from '../../../src/insight/top/top.ts'
import { ClaimList } from './claim-list.tsx'

/** Of some claims those that wait; nothing where none does. */
export function WaitingClaims({ claims }: { readonly claims: readonly ClaimRow[] }) {
  const waiting = claims.filter(({ state }) => state === 'waiting')
  if (waiting.length === 0) return null
  return (
    <>
      <h3>Claims that wait</h3>
      <ClaimList claims={waiting} />
    </>
  )
}
