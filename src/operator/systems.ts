import { poolSystem } from './pool/pool-system.ts'
import type { OperatorSystem } from './system.ts'

/** The systems that the operator runs. `workers`: how many objects of a kind are reconciled at a time. */
export const operatorSystems = (workers: number): readonly OperatorSystem[] => [poolSystem(workers)]
