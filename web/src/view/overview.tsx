import { useSession } from '../data/session.ts'
import { NamespaceChoice } from '../part/namespace-choice.tsx'
import { ViewHeading } from '../part/view-heading.tsx'
import { OverviewOfAll } from './overview-of-all.tsx'
import { OverviewOfOne } from './overview-of-one.tsx'

/** The start page: what is near its limit, what is blocked, and what was refused. */
export function Overview() {
  const scope = useSession().scope.value
  return (
    <>
      <ViewHeading title="Overview" />
      <NamespaceChoice />
      {scope === '' ? <OverviewOfAll /> : <OverviewOfOne key={scope} namespace={scope} />}
    </>
  )
}
