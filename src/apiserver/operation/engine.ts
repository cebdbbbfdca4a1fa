import type { Store } from '../../store/store.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { QuotaAdmission } from '../resource-quota/quota-admission.ts'
import type { Access } from '../auth/access.ts'
import type { StrategyGuards } from '../auth/strategy-guards.ts'
import type { Surroundings } from '../resource/surroundings.ts'
import type { Allocations } from '../storing/allocations.ts'
import type { YamlReader } from '../decoding/yaml-reader.ts'
import type { OpenWatches } from '../storing/open-watches.ts'
import type { MessageSet } from '../protobuf/message-set.ts'
import type { Registry } from '../resource/registry.ts'

/** What every operation works on. */
export interface Engine {
  readonly store: Store
  readonly registry: Registry
  readonly admission: AdmissionChain
  readonly quotaAdmission: QuotaAdmission
  readonly allocations: Allocations
  readonly protobuf: MessageSet
  readonly yaml: YamlReader
  readonly surroundings: Surroundings
  readonly access: Access
  readonly guards: StrategyGuards
  readonly watches: OpenWatches
}
