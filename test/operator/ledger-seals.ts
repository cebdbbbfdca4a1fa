import { randomBytes } from 'node:crypto'
import { LedgerSeal } from '../../src/operator/cluster/ledger-seal.ts'

const CLOCK = { monotonic: () => performance.now() }

/** A seal by this key, for what runs without an API server that has a Secret. */
export const sealBy = (key = randomBytes(32)): LedgerSeal =>
  new LedgerSeal(key, (known) => Promise.resolve(known), CLOCK)
