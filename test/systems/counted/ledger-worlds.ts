import type { World } from './model-world.ts'

/** The worlds of the short form: two replicas each, and up to three names, four requests and one or two ledgers. */
export const WORLDS: readonly World[] = [
  {
    title: 'creates that compete',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
      { type: 'create', name: 'c', costs: [1] },
    ],
  },
  {
    title: 'a create that is refused behind the ledger, and lapses',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
    ],
    failures: 1,
    ticks: 1,
  },
  {
    title: 'updates of one object',
    limits: [4],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [3] },
      { type: 'update', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [2] },
    ],
  },
  {
    title: 'updates that fit only if they do not add up',
    limits: [3],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [3] },
      { type: 'update', name: 'a', costs: [2] },
    ],
    retries: 1,
  },
  {
    title: 'a name that is taken again by another object',
    limits: [3],
    objects: { a: [2] },
    operations: [
      { type: 'remove', name: 'a' },
      { type: 'create', name: 'a', costs: [3] },
      { type: 'create', name: 'b', costs: [1] },
    ],
  },
  {
    title: 'a cost that falls and rises',
    limits: [3],
    objects: { a: [3] },
    operations: [
      { type: 'update', name: 'a', costs: [1] },
      { type: 'update', name: 'a', costs: [3] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    retries: 1,
    staleReads: true,
  },
  {
    title: 'costs below zero',
    limits: [1],
    objects: { s: [-1], a: [2] },
    operations: [
      { type: 'update', name: 's', costs: [0] },
      { type: 'update', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
    ],
  },
  {
    title: 'a status that raises a cost',
    limits: [3],
    objects: { a: [1] },
    operations: [
      { type: 'status', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [1] },
      { type: 'update', name: 'a', costs: [3] },
    ],
  },
  {
    title: 'two budgets, all or none',
    limits: [2, 1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 1] },
      { type: 'create', name: 'b', costs: [1, 1] },
    ],
  },
  {
    title: 'a lost answer',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
    ],
    lostAnswers: 1,
    failures: 1,
  },
  {
    title: 'a lost answer of one of two updates',
    limits: [3],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [3] },
      { type: 'update', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    lostAnswers: 1,
  },
  {
    title: 'a replica that crashes',
    limits: [2],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [2] },
      { type: 'remove', name: 'a' },
      { type: 'create', name: 'b', costs: [1] },
    ],
    crashes: 1,
  },
  {
    title: 'a fail-over, and a lapse after it',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
    ],
    failures: 1,
    crashes: 1,
    ticks: 1,
  },
  {
    title: 'creates on an advance',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 1,
  },
  {
    title: 'creates that fit an advance one by one',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
    ],
    ahead: 1,
  },
  {
    title: 'updates of one object on an advance',
    limits: [2],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [2] },
      { type: 'update', name: 'a', costs: [3] },
    ],
    ahead: 1,
    retries: 1,
  },
  {
    title: 'requests on an advance while it is written',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [1] },
      { type: 'create', name: 'c', costs: [1] },
    ],
    ahead: 1,
    replicas: 1,
  },
  {
    title: 'an update and a create on an advance',
    limits: [3],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 1,
  },
  {
    title: 'a name that is taken again, on an advance',
    limits: [3],
    objects: { a: [2] },
    operations: [
      { type: 'remove', name: 'a' },
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 1,
    replicas: 1,
  },
  {
    title: 'an advance that lapses',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
    ],
    ahead: 1,
    ticks: 1,
  },
  {
    title: 'an advance of a replica that crashes, and lapses',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 1,
    replicas: 1,
    crashes: 1,
    ticks: 1,
  },
  {
    title: 'a lost answer of a write with an advance',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 1,
    lostAnswers: 1,
  },
  {
    title: 'a spec that begins to count while requests are in flight',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [0, 1] },
      { type: 'create', name: 'b', costs: [0, 1] },
    ],
    specs: [0, 1],
  },
  {
    title: 'a spec that counts more while a create is in flight',
    limits: [3],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 2] },
      { type: 'create', name: 'b', costs: [1, 2] },
    ],
    replicas: 1,
    specs: [0, 1],
    ticks: 1,
  },
  {
    title: 'a change of the spec, and the change back',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 0] },
      { type: 'create', name: 'b', costs: [1, 0] },
    ],
    replicas: 1,
    specs: [0, 1, 0],
    ticks: 1,
  },
  {
    title: 'a spec that counts nothing, and the change back',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 0] },
      { type: 'create', name: 'b', costs: [1, 0] },
    ],
    replicas: 1,
    specs: [0, 1, 0],
    isSecondEmpty: true,
    ticks: 1,
  },
  {
    title: 'limits without generations that all go and come back',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 0] },
      { type: 'create', name: 'b', costs: [1, 0] },
    ],
    replicas: 1,
    specs: [0, 1, 0],
    isSecondEmpty: true,
    isUnnumbered: true,
    ticks: 2,
  },
]

/** Larger worlds, for the long form. */
export const LARGER_WORLDS: readonly World[] = [
  {
    title: 'a change of the spec, and the change back, which one replica does not see',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 0] },
      { type: 'create', name: 'b', costs: [1, 0] },
    ],
    specs: [0, 1, 0],
  },
  {
    title: 'a spec that begins to count while requests are in flight, and their time is over',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [0, 1] },
      { type: 'create', name: 'b', costs: [0, 1] },
    ],
    specs: [0, 1],
    ticks: 1,
  },
  {
    title: 'a spec that begins to count, a crash and a lapse',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [0, 1] },
      { type: 'create', name: 'b', costs: [0, 1] },
    ],
    specs: [0, 1],
    crashes: 1,
    failures: 1,
    ticks: 1,
  },
  {
    title: 'two changes of the spec one after another',
    limits: [1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [0, 1] },
      { type: 'create', name: 'b', costs: [0, 1] },
    ],
    replicas: 1,
    specs: [0, 1, 0, 1],
    ticks: 2,
  },
  {
    title: 'a spec that counts more while an update is in flight',
    limits: [3],
    objects: { a: [0, 1] },
    operations: [
      { type: 'update', name: 'a', costs: [1, 2] },
      { type: 'create', name: 'b', costs: [1, 2] },
    ],
    specs: [0, 1],
    ticks: 1,
  },
  {
    title: 'updates of one object, and retries',
    limits: [4],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [3] },
      { type: 'update', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    retries: 1,
  },
  {
    title: 'two budgets and a third request',
    limits: [2, 1],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1, 1] },
      { type: 'create', name: 'b', costs: [1, 1] },
      { type: 'create', name: 'c', costs: [1, 0] },
    ],
  },
  {
    title: 'three names, a fail-over, a lapse and a lost answer',
    limits: [2],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [2] },
      { type: 'remove', name: 'a' },
      { type: 'create', name: 'b', costs: [1] },
    ],
    failures: 1,
    lostAnswers: 1,
    crashes: 1,
    ticks: 1,
  },
  {
    title: 'costs below zero that go',
    limits: [1],
    objects: { s: [-1], a: [2] },
    operations: [
      { type: 'remove', name: 's' },
      { type: 'create', name: 's', costs: [-2] },
      { type: 'create', name: 'b', costs: [1] },
      { type: 'update', name: 'a', costs: [1] },
    ],
  },
  {
    title: 'creates that compete for two advances',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [1] },
      { type: 'create', name: 'c', costs: [1] },
    ],
    ahead: 1,
  },
  {
    title: 'updates and a create on two advances',
    limits: [4],
    objects: { a: [1] },
    operations: [
      { type: 'update', name: 'a', costs: [3] },
      { type: 'update', name: 'a', costs: [2] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 2,
  },
  {
    title: 'an advance of a replica that crashes, and lapses beside another',
    limits: [2],
    objects: {},
    operations: [
      { type: 'create', name: 'a', costs: [1] },
      { type: 'create', name: 'b', costs: [2] },
    ],
    ahead: 1,
    crashes: 1,
    ticks: 1,
  },
]

/** Worlds too large to be followed to the end. A mutant is looked for in them, in the long form. */
export const FAR_WORLDS: readonly World[] = [
  {
    title: 'updates of one object, by a replica that has seen less than the ledger contains',
    limits: [4],
    objects: { a: [1], c: [0] },
    operations: [
      { type: 'update', name: 'c', costs: [1] },
      { type: 'update', name: 'a', costs: [2] },
      { type: 'update', name: 'a', costs: [3] },
      { type: 'create', name: 'b', costs: [1] },
    ],
  },
]
