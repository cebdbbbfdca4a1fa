import { append, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { isQualifiedName, subdomainName, utf8Length } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { absent, countOf, objectOf, textOf } from '../../machinery/read.ts'

/** The names of the fields in core/v1, which errors use too. */
interface EventFields {
  readonly involvedObject: unknown
  readonly reason: unknown
  readonly message: unknown
  readonly source: unknown
  readonly firstTimestamp: unknown
  readonly lastTimestamp: unknown
  readonly count: unknown
  readonly type: unknown
  readonly eventTime: unknown
  readonly action: unknown
  readonly reportingController: unknown
  readonly reportingInstance: unknown
}

const LONGEST_WORD = 128
const LONGEST_NOTE = 1024
const TYPES = ['Normal', 'Warning']

const isCore = ({ apiVersion }: KubeObject): boolean => apiVersion === 'v1'

/** Returns the fields of an event in either group, with Go's zero values for absent ones. */
function fieldsOf(event: KubeObject): EventFields {
  const core = isCore(event)
  return {
    involvedObject: objectOf(core ? event['involvedObject'] : event['regarding']),
    reason: textOf(event['reason']),
    message: textOf(core ? event['message'] : event['note']),
    source: objectOf(core ? event['source'] : event['deprecatedSource']),
    firstTimestamp: (core ? event['firstTimestamp'] : event['deprecatedFirstTimestamp']) ?? null,
    lastTimestamp: (core ? event['lastTimestamp'] : event['deprecatedLastTimestamp']) ?? null,
    count: countOf(core ? event['count'] : event['deprecatedCount']),
    type: textOf(event['type']),
    eventTime: event['eventTime'] ?? null,
    action: textOf(event['action']),
    reportingController: textOf(core ? event['reportingComponent'] : event['reportingController']),
    reportingInstance: textOf(event['reportingInstance']),
  }
}

/** The errors in a new event: core/v1 takes much for the sake of old clients, events.k8s.io does not. */
export function validateEvent(event: KubeObject): readonly FieldError[] {
  const fields = fieldsOf(event)
  const errors = [...lenientErrors(event, fields)]
  if (isCore(event)) return errors
  const { name = '' } = event.metadata
  append(
    errors,
    subdomainName(name, false).map((text) => invalid('metadata.name', name, text)),
  )
  append(errors, seriesErrors(event['series']))
  if (fields.eventTime === null) errors.push(required('eventTime'))
  const type = textOf(fields.type)
  if (!TYPES.includes(type)) errors.push(invalid('type', '', `has invalid value: ${type}`))
  const unset = (path: string, isSet: boolean): void => {
    if (isSet) errors.push(invalid(path, '', 'needs to be unset'))
  }
  const source = objectOf(fields.source)
  unset('firstTimestamp', fields.firstTimestamp !== null)
  unset('lastTimestamp', fields.lastTimestamp !== null)
  unset('count', fields.count !== 0)
  unset('source', textOf(source['component']) !== '' || textOf(source['host']) !== '')
  return errors
}

/** The errors in an event that replaces another: in either group what old clients may write is taken. */
export const validateEventUpdate = (event: KubeObject): readonly FieldError[] => lenientErrors(event, fieldsOf(event))

function seriesErrors(series: unknown): readonly FieldError[] {
  if (absent(series)) return []
  const { count, lastObservedTime } = objectOf(series)
  return [
    ...(countOf(count) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(absent(lastObservedTime) ? [required('series.lastObservedTime')] : []),
  ]
}

/**
 * The rules of both groups. An event lies in the namespace of its object; events of cluster-scoped objects lie in
 * `default`. An event with a time must also have a reporter.
 */
function lenientErrors(event: KubeObject, fields: EventFields): readonly FieldError[] {
  const namespace = textOf(objectOf(fields.involvedObject)['namespace'])
  const own = event.metadata.namespace ?? ''
  const isNew = fields.eventTime !== null
  const fits = isNew
    ? namespace !== '' || own === 'default' || own === 'kube-system'
    : namespace === ''
      ? own === '' || own === 'default'
      : own === namespace
  const misplaced = fits ? [] : [invalid('involvedObject.namespace', namespace, 'does not match event.namespace')]
  return isNew ? [...misplaced, ...reportErrors(fields, isCore(event))] : misplaced
}

function reportErrors(fields: EventFields, core: boolean): readonly FieldError[] {
  const controller = textOf(fields.reportingController)
  const at = core ? 'reportingComponent' : 'reportingController'
  const word = (path: keyof EventFields): readonly FieldError[] => [
    ...(fields[path] === '' ? [required(path)] : []),
    ...tooLongErrors(path, textOf(fields[path]), LONGEST_WORD),
  ]
  return [
    ...(controller === '' ? [required(at)] : []),
    ...isQualifiedName(controller).map((text) => invalid(at, controller, text)),
    ...word('reportingInstance'),
    ...word('action'),
    ...word('reason'),
    ...tooLongErrors('message', textOf(fields.message), LONGEST_NOTE),
  ]
}

const tooLongErrors = (path: string, text: string, limit: number): readonly FieldError[] =>
  utf8Length(text) > limit ? [invalid(path, '', `can have at most ${limit} characters`)] : []
