import type { ClaimWaiting } from '../../../src/systems/resource-pool/api/claim.ts'

/** As a pool's status says for people why a claim waits; the code itself where it is not known here. */
const TEXTS: Readonly<Record<ClaimWaiting['reason'], string>> = {
  WaitingForRoom: 'waits for room',
  WaitingInQueue: 'waits for older claims',
  NeverFits: 'asks for more than the whole pool has',
  NoSuchPool: 'waits for its pool',
  PoolDoesNotSelectNamespace: 'waits for the pool to select the namespace',
  NoPool: 'waits for a pool',
  NoQuota: 'waits for the quota of the pool',
  LedgerFull: 'waits until the namespace has fewer claims',
}

/** Why a claim waits, from the code of its status. */
export const waitingText = (reason: string): string =>
  new Map<string, string>(Object.entries(TEXTS)).get(reason) ?? reason
