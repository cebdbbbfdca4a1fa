import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { absent, countOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column } from './column.ts'
import { ageColumn, nameColumn, NONE, numberOr } from './shared-columns.ts'

export const flowSchemaColumns: readonly Column[] = [
  nameColumn,
  column('PriorityLevel', 'The level that its requests have.', (object) =>
    textOf(objectOf(specOf(object).priorityLevelConfiguration).name),
  ),
  column('MatchingPrecedence', 'Lower ones are tried first.', (object) => countOf(specOf(object).matchingPrecedence)),
  column(
    'DistinguisherMethod',
    'How flows are distinguished.',
    (object) => textOf(objectOf(specOf(object).distinguisherMethod).type) || NONE,
  ),
  ageColumn,
  column('MissingPL', 'Whether its level is missing.', (object) => {
    const dangling = objectsOf(statusOf(object).conditions).find((condition) => condition.type === 'Dangling')
    return textOf(dangling?.status) || '?'
  }),
]

const limited = (object: KubeObject): JsonObject => objectOf(specOf(object).limited)
const queuing =
  (field: string) =>
  (object: KubeObject): string =>
    numberOr(objectOf(objectOf(limited(object).limitResponse).queuing)[field], NONE)

export const priorityLevelColumns: readonly Column[] = [
  nameColumn,
  column('Type', 'Whether it is limited.', (object) => textOf(specOf(object).type)),
  column('NominalConcurrencyShares', 'The share of all requests.', (object) =>
    numberOr(limited(object).nominalConcurrencyShares, NONE),
  ),
  column('Queues', 'How many queues it has.', queuing('queues')),
  column('HandSize', 'How many queues a flow is dealt.', queuing('handSize')),
  column('QueueLengthLimit', 'How long a queue may be.', queuing('queueLengthLimit')),
  ageColumn,
]

export const apiServiceColumns: readonly Column[] = [
  nameColumn,
  column('Service', 'The service behind the API, or Local.', (object) => {
    const service = objectOf(specOf(object).service)
    return absent(specOf(object).service) ? 'Local' : `${textOf(service.namespace)}/${textOf(service.name)}`
  }),
  column('Available', 'Whether it answers.', (object) => {
    const available = objectsOf(statusOf(object).conditions).find((condition) => condition.type === 'Available')
    if (available === undefined || available.status === 'True') return textOf(available?.status) || 'Unknown'
    return `${textOf(available.status)} (${textOf(available.reason)})`
  }),
  ageColumn,
]
