import type {
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  PriorityLevelConfiguration,
  QueuingConfiguration,
} from '../../builtin/flowcontrol-v1.ts'
import type { APIService } from '../../builtin/apiregistration-v1.ts'
import { absent, countOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column } from './column.ts'
import { ageColumn, nameColumn, NONE, numberOr } from './shared-columns.ts'

export const flowSchemaColumns: readonly Column[] = [
  nameColumn,
  column('PriorityLevel', 'The level that its requests have.', (object: FlowSchema) =>
    textOf(objectOf(specOf(object).priorityLevelConfiguration).name),
  ),
  column('MatchingPrecedence', 'Lower ones are tried first.', (object: FlowSchema) =>
    countOf(specOf(object).matchingPrecedence),
  ),
  column(
    'DistinguisherMethod',
    'How flows are distinguished.',
    (object: FlowSchema) => textOf(objectOf(specOf(object).distinguisherMethod).type) || NONE,
  ),
  ageColumn,
  column('MissingPL', 'Whether its level is missing.', (object: FlowSchema) => {
    const dangling = objectsOf(statusOf(object).conditions).find((condition) => condition.type === 'Dangling')
    return textOf(dangling?.status) || '?'
  }),
]

const limited = (object: PriorityLevelConfiguration): LimitedPriorityLevelConfiguration =>
  objectOf(specOf(object).limited)
const queuing =
  (field: keyof QueuingConfiguration) =>
  (object: PriorityLevelConfiguration): string =>
    numberOr(objectOf(objectOf(limited(object).limitResponse).queuing)[field], NONE)

export const priorityLevelColumns: readonly Column[] = [
  nameColumn,
  column('Type', 'Whether it is limited.', (object: PriorityLevelConfiguration) => textOf(specOf(object).type)),
  column('NominalConcurrencyShares', 'The share of all requests.', (object: PriorityLevelConfiguration) =>
    numberOr(limited(object).nominalConcurrencyShares, NONE),
  ),
  column('Queues', 'How many queues it has.', queuing('queues')),
  column('HandSize', 'How many queues a flow is dealt.', queuing('handSize')),
  column('QueueLengthLimit', 'How long a queue may be.', queuing('queueLengthLimit')),
  ageColumn,
]

export const apiServiceColumns: readonly Column[] = [
  nameColumn,
  column('Service', 'The service behind the API, or Local.', (object: APIService) => {
    const service = objectOf(specOf(object).service)
    return absent(specOf(object).service) ? 'Local' : `${textOf(service.namespace)}/${textOf(service.name)}`
  }),
  column('Available', 'Whether it answers.', (object: APIService) => {
    const available = objectsOf(statusOf(object).conditions).find((condition) => condition.type === 'Available')
    if (available === undefined || available.status === 'True') return textOf(available?.status) || 'Unknown'
    return `${textOf(available.status)} (${textOf(available.reason)})`
  }),
  ageColumn,
]
