import type { Schemas } from '../../insight/schemas.ts'
import { Simulator } from '../../insight/simulate/simulate.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { FILE_PROVIDER } from '../../systems/quota-increase/api/increase-names.ts'
import { definitionsIn, textOfDefinitions } from '../../systems/quota-increase/operate/definitions-file.ts'
import { knownKinds, offeredBy } from '../reading/known-kinds.ts'
import type { QuotaTest } from './read.ts'

/** Tests happen at one time, whenever they are run. */
const NOW = Date.UTC(2026, 0, 1)

/** The simulator with what is given. */
export function simulatorOf(
  test: Pick<QuotaTest, 'given' | 'steps' | 'namespace' | 'definitions'>,
  schemas: Schemas,
): Simulator {
  const { given, steps, namespace, definitions: file } = test
  const changes = steps.flatMap((step) => step.changes.map(({ object }) => object))
  return new Simulator({
    state: given,
    isFromCluster: false,
    kinds: knownKinds([...given, ...changes]),
    offered: offeredBy([...given, ...changes]),
    ...schemas,
    namespace,
    now: NOW,
    timestamp,
    wording: 'all',
    ...(file === undefined
      ? {}
      : { definitions: { provider: FILE_PROVIDER, definitions: definitionsIn(file, textOfDefinitions(file)) } }),
  })
}
