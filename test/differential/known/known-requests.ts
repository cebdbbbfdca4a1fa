import { APPLY_PATCH, STRATEGIC_PATCH } from '../scenario.ts'
import { inKinds, inPath, type KnownDifference } from './occurrence.ts'

/** Of requests of any kind. */
export const REQUESTS: readonly KnownDifference[] = [
  {
    pattern:
      /^code: real 200, allot 400 \[allot: invalid timeout specified in the request URL - time: invalid duration "[^"]*"\] \[real: \]$/,
    reason: 'a time that is not a duration is refused in every request, not in writes alone',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real ".*, error found in #\d+ byte of \.\.\..*", allot ".*(?:json: cannot unmarshal |Object 'Kind' is missing in |illegal base64 data at |parsing time |quantities must match |unable to parse quantity)/,
    reason: 'JSON of wrong types is reported in the words of encoding/json, without their context',
    since: '1.23',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real ".*, error found in #\d+ byte of \.\.\..*", allot ".*: converting \(v1\.\w+\) to \(core\.\w+\): unknown conversion"$/,
    reason: 'what a patch made another kind of is refused before it is read as that kind',
    since: '1.23',
  },
  {
    pattern: /^code: real 500, allot 400 \[allot: error decoding patch: .*\] \[real: Invalid JSON Patch\]$/,
    reason: 'a merge patch is decoded strictly before it is applied, and a broken one is a bad request',
    since: '1.25',
  },
  {
    pattern: /^code: real 422, allot 400 \[allot: error decoding patch: json: cannot unmarshal array /,
    reason: 'a merge patch must be an object, which is checked before it is applied',
    since: '1.25',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)(?:\[\]string\{.*\}|0x0): (.*)", allot "\1(?:\[.*\]|0): \2"$/,
    reason: 'values in messages are written as JSON rather than as Go writes them',
    since: '1.33',
  },
  {
    pattern: /^message: real "unable to parse requirement: (?:found|invalid label|for 'Gt')/,
    reason: 'errors of a label selector are worded differently',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message: real "ListOptions\.meta\.k8s\.io .*resourceVersionMatch is forbidden (?:for watch|unless)|details\.causes(?:\[\d+\]\.message)?: real .*resourceVersionMatch is forbidden (?:for watch|unless)|details\.causes\[\d+\]\.reason: real "FieldValueForbidden", allot "FieldValueNotSupported"$)/,
    when: ({ path }) => path.includes('watch=true') && path.includes('resourceVersionMatch='),
    reason: 'a watch may say how it means its version when it asks for the initial events',
    since: '1.27',
  },
  {
    pattern: /^message: real "(.*)of type etcd3\.continueToken", allot "\1of type storage\.continueToken"$/,
    reason: 'the type of a token has moved',
    since: '1.31',
  },
  {
    pattern:
      /^code: real 200, allot 422 \[allot: ListOptions\.meta\.k8s\.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list\]/,
    reason: 'a list cannot be asked for initial events',
    since: '1.27',
  },
  {
    pattern: /^metadata\.(?:creationTimestamp|namespace|resourceVersion|uid): real nothing, allot/,
    when: ({ path }) => path.includes('export='),
    reason: 'nothing is exported any more',
    since: '1.21',
  },
  {
    pattern: /^code: real 405, allot (?:200|404)/,
    when: ({ method }) => method === 'HEAD',
    reason: 'what can be read can be asked for without its body',
    since: 'allot',
  },
  {
    pattern: /^code: real 200, allot 405/,
    when: ({ path }) => /^\/(?:healthz|apis|apis\/apps)$/.test(path),
    reason: 'what can only be read is only read',
    since: 'allot',
  },
  {
    pattern: /^message: real "(invalid character .*|unexpected end of JSON input)", allot "error decoding patch: \1"$/,
    reason: 'a JSON patch is decoded strictly before it is applied',
    since: '1.25',
  },
  {
    pattern: /^message: real "unexpected EOF", allot "unexpected end of JSON input"$/,
    reason: 'a text that ends too early is reported in the words of encoding/json',
    since: '1.23',
  },
  {
    pattern:
      /^metadata\.annotations(?:\.deployment\.kubernetes\.io\/revision: real "\d+"|: real \{"deployment\.kubernetes\.io\/revision":"\d+"\}), allot nothing$/,
    when: inKinds('Deployment'),
    reason: 'nothing rolls out',
    since: 'allot',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:metadata\.f:ownerReferences\.k:\{"uid":"[^"]*"\}(?:\.f:\w+: real \{\}, allot nothing|: real \{.*\}, allot (?:nothing|\{\}))$/,
    reason: 'a reference to an owner is owned as a whole',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*): a lowercase RFC 1123 label must consist of [^"]*", allot "\1: must not contain dots"$/,
    reason: 'a label with a dot has a message of its own',
    since: '1.33',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: \[\]v1\.OwnerReference\{.*\}: (Only one .* references for )(\w+) and (\w+)", allot "\1Invalid value: \[.*\]: \2\w+\/\3 and \w+\/\4"$/,
    reason: 'values in messages are written as JSON rather than as Go writes them',
    since: '1.33',
  },
  {
    pattern: /^code: real 200, allot 422 \[allot: the server rejected our request due to an error in our request\]/,
    when: ({ body }) => /"op":"(?:replace|copy)","(?:path|from)":"[^"]*\/nothing"/.test(JSON.stringify(body)),
    reason: 'a JSON patch replaces and copies nothing that is not there',
    since: '1.22',
  },
  {
    pattern: /^code: real 404, allot (?:201|422)/,
    when: ({ method, path }) => method === 'PUT' && path.includes('/services/'),
    reason: 'an update of a service that is not there makes it',
    since: '1.23',
  },
  {
    pattern:
      /^(?:details: real \{.*"kind":"services".*\}, allot nothing|kind: real "Status", allot "Service"|(?:metadata|spec): real nothing, allot \{.*\}|status: real "Success", allot (?:nothing|\{.*\}))$/,
    when: ({ method, path }) => method === 'DELETE' && path.includes('/services/'),
    reason: 'a service that is deleted is answered itself',
    since: '1.23',
  },
  {
    pattern:
      /^(?:spec\.externalTrafficPolicy: real nothing, allot "Cluster"|metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec(?:\.f:externalTrafficPolicy: real nothing, allot \{\}|: real nothing, allot \{"f:externalTrafficPolicy":\{\}.*\}))$/,
    when: inKinds('Service'),
    reason: 'services with external addresses say how they route them',
    since: '1.26',
  },
  {
    pattern: /^code: real 405, allot 200/,
    when: ({ method, path }) => method === 'DELETE' && /\/services(?:\?|$)/.test(path),
    reason: 'services may be deleted together',
    since: '1.22',
  },
  {
    pattern:
      /^code: real (?:20[01]|409), allot 422 \[allot: StatefulSet\.apps "[^"]*" is invalid: \[?spec\.template\.spec\./,
    reason: 'the pods of a stateful set are checked with it',
    since: '1.24',
  },
  {
    pattern: /^details\.causes: real \[.*"field":"spec\.hard/,
    when: inPath(/\/resourcequotas\//),
    reason: 'an update of a quota is checked once',
    since: '1.35',
  },
  {
    pattern: /^details\.causes: real .*"field":"spec\.replicas"/,
    when: ({ path }) => path.includes('/statefulsets/'),
    reason: 'an update of a stateful set is checked once',
    since: '1.27',
  },
  {
    pattern: /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:spec\.f:selector: real \{"f:.*\}, allot (?:nothing|\{\})$/,
    reason: 'a selector is owned as a whole',
    since: '1.21',
  },
  {
    pattern:
      /^code: real 20[01], allot 4(?:22 .*: unrecognized type: int32\]|00 \[allot: failed to convert new object .*: json: cannot unmarshal number \d+ into )/,
    when: ({ type }) => type === STRATEGIC_PATCH || type === APPLY_PATCH,
    reason: 'a number that does not fit is not cut',
    since: 'allot',
  },
  {
    pattern: /^(?:message|details\.causes): real .*, allot .*must be greater than or equal to 0.*spec\.limits\[0\]/,
    when: inPath(/\/limitranges/),
    reason: 'limits must not be below 0',
    since: '1.35',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: (?:map\[string\]|\[\])interface \{\}\{.*", allot "\1Invalid value: [[{]/,
    reason: 'values in messages are written as JSON rather than as Go writes them',
    since: '1.33',
  },
  {
    pattern:
      /^(?:details\.group: real "extensions", allot "networking\.k8s\.io"|message: real ".*on NetworkPolicy\.extensions .*", allot ".*on NetworkPolicy\.networking\.k8s\.io .*)/,
    when: inPath(/\/(?:networkpolicies|ingresses)/),
    reason: 'network policies and ingresses were known to the server by their first group',
    since: '1.22',
  },
  {
    pattern: /^metadata\.continue: real (?:"TOKEN", allot nothing|nothing, allot "TOKEN")$/,
    when: ({ path }) => path.includes('limit=') && path.includes('Selector='),
    reason: 'a page may be announced that holds nothing, since only reading on tells whether something is selected',
    since: 'allot',
  },
  {
    pattern: /^message: real "(.*): cannot convert int64 to v1\.\w+", allot ".*: cannot convert int64 to string"$/,
    reason: 'the published schemas do not tell the names of texts',
    since: 'allot',
  },
  {
    pattern: /^(?:message|details\.causes): real .*, allot .*spec\.template\.spec\.containers/,
    when: ({ path }) => path.includes('/statefulsets'),
    reason: 'the pods of a stateful set are checked with it',
    since: '1.24',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: .*resource\.Quantity\{i:resource\.int64Amount\{value:-?\d+, scale:-?\d+\}[^}]*\}, s:\\"\\".*", allot "\1Invalid value: /,
    reason: 'values in messages are written as JSON rather than as Go writes them',
    since: '1.33',
  },
  {
    pattern: /^metadata\.managedFields: real .*allot .*"f:externalTrafficPolicy"/,
    when: ({ path }) => path.includes('/services/'),
    reason: 'services with external addresses say how they route them',
    since: '1.26',
  },
  {
    pattern: /^paths: real \["\/apis",.*\], allot \["\/api",/,
    reason: 'every server has paths of its own',
    since: 'allot',
  },
  {
    pattern: /^columnDefinitions\[\d+\]\.description: real "/,
    reason: 'the columns are described in words of our own',
    since: 'allot',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: \d{4}-\d\d-\d\d [^"]* UTC: field is immutable", allot "\1Invalid value: \\"TIME\\": field is immutable"$/,
    reason: 'values in messages are written as JSON rather than as Go writes them',
    since: '1.33',
  },
  {
    pattern: /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:metadata\.f:deletionTimestamp: real \{\}, allot nothing$/,
    reason: 'nobody owns a time that nobody can set',
    since: 'allot',
  },
  {
    pattern:
      /^code: real 422, allot 200 \[allot: \] \[real: Service "[^"]*" is invalid: metadata\.resourceVersion: Invalid value: "": must be specified for an update\]$/,
    reason: 'services are updated without a version too',
    since: '1.23',
  },
  {
    pattern: /^metadata\.deletionGracePeriodSeconds: real -\d+, allot 1$/,
    reason: 'a negative period is the shortest that is not at once',
    since: '1.22',
  },
]
