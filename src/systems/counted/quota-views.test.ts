import { expect, test } from 'vitest'
import { kindKey } from './protocol/ledger-state.ts'
import { EMPTY_LEDGER } from './protocol/ledger-state.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { customQuotaLedgering } from '../custom-quota/operate/admission/ledgering.ts'
import { QuotaViews } from './quota-views.ts'

const resource = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true }

/** A global quota that selects namespaces, of which this replica has seen those up to `version`, and another up to `selection`. */
async function refreshes(version: string | undefined, selection: string): Promise<number> {
  let count = 0
  const part = { generation: 1, selection, revision: '1122', observed: Quantity.of(28) }
  const state = { ...EMPTY_LEDGER, parts: new Map([[kindKey(resource), part]]) }
  const target = {
    resource,
    part: kindKey(resource),
    count: { namespace: undefined },
    counted: { sizes: { of: () => 0 }, list: async () => undefined },
  }
  const tracked = {
    ref: { group: '', kind: 'GlobalCustomQuota', namespace: '', name: 'q' },
    countedIn: undefined,
    generation: 0,
    namespaces: new Set(['n']),
    resolution: { targets: [target], problems: [] },
  }
  const tracker = {
    get: () => tracked,
    observedLive: async () => undefined,
  }
  const views = new QuotaViews({
    client: { get: (async () => ({ metadata: {} })) as KubeClient['get'], listPages: (() => []) as never },
    tracker: tracker as never,
    ledgering: customQuotaLedgering({ version, refresh: async () => void count++ }),
    readLive: async () => undefined,
    state: () => state,
    key: 'q',
  })
  await views.catchUp(false)
  return count
}

test.each([
  ['behind the ledger', '926', '927', 1],
  ['as far as the ledger', '927', '927', 0],
  ['ahead of the ledger', '1000', '927', 0],
  ['of a ledger that does not select', '5', '', 0],
  ['being listed', undefined, '927', 1],
] as const)(
  'namespaces are listed anew only where they are behind the ledger: %s',
  async (_, version, selection, count) => {
    expect(await refreshes(version, selection)).toBe(count)
  },
)
