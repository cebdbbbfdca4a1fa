import { APPLY_PATCH } from '../scenario.ts'
import { inKinds, type KnownDifference } from './occurrence.ts'

/** Of managed fields and server-side apply. */
export const APPLY: readonly KnownDifference[] = [
  {
    pattern: /^metadata\.managedFields\[\d+\]\.time: real "TIME", allot nothing$/,
    reason: 'a manager whose apply changed nothing has no time',
    since: '1.22',
  },
  {
    pattern:
      /^message: real "Incorrect version specified in apply patch\. Specified patch version: [^"]*", allot "invalid object type: [^"]*"$/,
    when: ({ type }) => type === APPLY_PATCH,
    reason: 'kind and version of an applied configuration are compared with those of the URL before anything else',
    since: '1.28',
  },
  {
    pattern:
      /^code: real 500, allot 400 \[allot: invalid object type: [^\]]*\] \[real: failed to (?:create typed patch object|merge config): /,
    when: ({ type }) => type === APPLY_PATCH,
    reason: 'kind and version of an applied configuration are compared with those of the URL before anything else',
    since: '1.28',
  },
  {
    pattern:
      /^message: real "failed to (create typed patch object|convert new object)(.*)", allot "failed to \1 \([^)]*\)\2"$/,
    reason: 'errors of an applied configuration are reported with its namespace, name and kind',
    since: '1.25',
  },
  {
    pattern:
      /^message: real "failed to create typed patch object: (.*): expected numeric \(int or float\), got \*value\.valueUnstructured", allot "failed to create typed patch object \([^)]*\): \1: expected numeric \(int or float\), got [^"]+"$/,
    reason: 'the message about an invalid number names its type',
    since: '1.21',
  },
  {
    pattern:
      /^message: real "the name(?:space)? of the object \(.*\) does not match the name(?:space)? on the (?:request|URL) \(.*\)", allot "the namespace of the provided object does not match the namespace sent on the request"$/,
    reason: 'the namespace of an object is compared before its name, and reported alike on create and update',
    since: '1.21',
  },
  {
    pattern:
      /^code: real 422, allot 200 \[allot: \] \[real: \w+ "[^"]*" is invalid: metadata\.managedFields\.operation: Invalid value: "[^"]*": must be `Apply` or `Update`\]$/,
    reason: 'managed fields that make no sense are ignored',
    since: '1.21',
  },
  {
    pattern: /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:status: real \{"f:phase":\{\}\}, allot nothing$/,
    reason: 'a write that cannot set the status does not make its manager own any of it',
    since: '1.22',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:template\.f:metadata\.f:creationTimestamp: real \{\}, allot nothing$/,
    when: inKinds('ReplicationController'),
    reason: 'a time that is not set is not written',
    since: '1.34',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:status\.(?:f:conditions: real nothing, allot \{.*|f:phase: real \{\}, allot nothing)$/,
    when: inKinds('Namespace'),
    reason: 'who writes the finalizers of a namespace neither takes nor loses what it owns of the status by that',
    since: '1.22',
  },
]
