export interface Rewording {
  readonly pattern: RegExp
  readonly with: string | ((text: string, ...groups: readonly string[]) => string)
  readonly reason: string
  /** The version of Kubernetes since which it is said so. */
  readonly since: string
}

/** The messages that Kubernetes 1.36 words differently from 1.20, everywhere. They are applied to the answers of the real server before the comparison. */
export const REWORDINGS: readonly Rewording[] = [
  {
    pattern: /(failed calling webhook "[^"]*": )(.)/g,
    with: (_text, head = '', first = '') => `${head}failed to call webhook: ${first}`,
    reason: 'the message of a failed webhook says where it failed',
    since: '1.22',
  },
  {
    pattern:
      /failed to call webhook: (?=expected |webhook response was absent|webhook returned |validating webhook may)/g,
    with: 'received invalid webhook response: ',
    reason: 'the message of a failed webhook says where it failed',
    since: '1.22',
  },
  {
    pattern: /(?<!tls: failed to verify certificate: )x509: /g,
    with: 'tls: failed to verify certificate: x509: ',
    reason: 'Go says where a certificate failed',
    since: '1.27',
  },
  {
    pattern: /\b(Ingress|NetworkPolicy)\.extensions (?=")/g,
    with: '$1.networking.k8s.io ',
    reason: 'these kinds are called by the group that they are in',
    since: '1.22',
  },
  {
    pattern: /Invalid value: "null"/g,
    with: 'Invalid value: null',
    reason: 'a missing object is reported as JSON',
    since: '1.33',
  },
  {
    pattern: /supported values: ("[^"]*"(?:, "[^"]*")*)/g,
    with: (_text, list = '') => `supported values: ${list.split(', ').toSorted().join(', ')}`,
    reason: 'supported values are listed in order',
    since: '1.29',
  },
  {
    pattern: /must be no more than (?!15 )(\d+) characters/g,
    with: 'must be no more than $1 bytes',
    reason: 'lengths are measured in bytes, and messages say so',
    since: '1.32',
  },
  {
    pattern: /must be (a )?valid IP address, \(e\.g\. 10\.9\.8\.7( or 2001:db8::ffff)?\)|must be valid IP address/g,
    with: 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    reason: 'IP addresses are checked in one place',
    since: '1.27',
  },
  {
    pattern: /must be no more than 15 characters(?! long)/g,
    with: 'must be no more than 15 characters long',
    reason: 'port names have their own sentence',
    since: '1.27',
  },
  {
    pattern: /must contain at least one letter or number \(a-z, 0-9\)/g,
    with: 'must contain at least one letter (a-z)',
    reason: 'the message about a port name of digits only said that it lacks digits',
    since: '1.27',
  },
  {
    pattern: /a valid environment variable name must consist of alphabetic .*?\[-\._a-zA-Z0-9\]\*'\)/g,
    with: "a valid environment variable name must consist only of printable ASCII characters other than '='",
    reason: 'environment variables may have any printable name',
    since: '1.34',
  },
  {
    pattern: /(kind|name|uid) must not be empty/g,
    with: 'must not be empty',
    reason: 'what must not be empty is in the path already',
    since: '1.22',
  },
  {
    pattern: /`configMapKeyRef` or `secretKeyRef`/g,
    with: '`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    reason: 'variables may come from files',
    since: '1.34',
  },
  {
    pattern: /"status.hostIP", "status.podIP"/g,
    with: '"status.hostIP", "status.hostIPs", "status.podIP"',
    reason: 'variables may show all addresses of the host',
    since: '1.28',
  },
  {
    pattern:
      /(?:pod updates may not change fields other than `spec\.containers\[\*\]\.image`).*?additions to existing tolerations\)/g,
    with: 'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    reason: 'a negative grace period may be mended',
    since: '1.25',
  },
  {
    pattern: /Too long: must have at most (\d+) bytes/g,
    with: 'Too long: may not be more than $1 bytes',
    reason: 'a value that is too long has a message of its own',
    since: '1.32',
  },
  {
    pattern: /data\[%s\]\[/g,
    with: 'data[',
    reason: 'keys that a secret lacks stand in their place',
    since: '1.21',
  },
  {
    pattern: /(must be a valid IP address)(?!,)/g,
    with: '$1, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    reason: 'IP addresses are checked in one place',
    since: '1.27',
  },
  {
    pattern: /may not be in the loopback range \(127\.0\.0\.0\/8\)/g,
    with: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
    reason: 'addresses of both families are special',
    since: '1.20',
  },
  {
    pattern: /may not be in the link-local range \(169\.254\.0\.0\/16\)/g,
    with: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    reason: 'addresses of both families are special',
    since: '1.20',
  },
  {
    pattern: /may not be in the link-local multicast range \(224\.0\.0\.0\/24\)/g,
    with: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
    reason: 'addresses of both families are special',
    since: '1.20',
  },
  {
    pattern: /except resources\.requests for bound claims/g,
    with: 'except resources.requests and volumeAttributesClassName for bound claims',
    reason: 'bound claims may change their attributes class',
    since: '1.31',
  },
  {
    pattern: /field can not be less than previous value/g,
    with: 'field can not be less than status.capacity',
    reason: 'a claim that failed to grow may be taken back',
    since: '1.23',
  },
  {
    pattern: /'replicas', 'template', and 'updateStrategy' are forbidden/g,
    with: "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    reason: 'more of a stateful set may change',
    since: '1.33',
  },
  {
    pattern: /\.nodePublishSecretRef \./g,
    with: '.nodePublishSecretRef.',
    reason: 'the path had a blank in it',
    since: '1.21',
  },
  {
    pattern: /intstr\.IntOrString\{Type:(?:0, IntVal:(\d+), StrVal:""|1, IntVal:0, StrVal:("[^"]*"))\}/g,
    with: (_text, number = '', text = '') => number + text,
    reason: 'numbers or percentages are printed as they were given',
    since: '1.33',
  },
  {
    pattern: /resource\.Quantity\{[^]*?s:("[^"]+"), Format:"\w*"\}/g,
    with: '$1',
    reason: 'amounts are printed as they were given',
    since: '1.33',
  },
  {
    pattern: /must to greater or equal than 0/g,
    with: 'must be greater than or equal to 0',
    reason: 'the sentence lacked a word',
    since: '1.22',
  },
  {
    pattern: /not a valid CIDR|must be valid CIDR/g,
    with: 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    reason: 'ranges of addresses are checked in one place',
    since: '1.31',
  },
  {
    pattern: /\[\]string\{("[^"]*")\}(?=: must be a valid CIDR)/g,
    with: '$1',
    reason: 'the message names one range, not all of them',
    since: '1.33',
  },
  {
    pattern: /can not be set when the class field is also set/g,
    with: 'must match `ingressClassName` when both are specified',
    reason: 'field and annotation may say the same',
    since: '1.30',
  },
  {
    pattern: /(?<=Required value): (?:kind|name) is required/g,
    with: '',
    reason: 'what is required is in the path already',
    since: '1.34',
  },
  {
    pattern: /a qualified name must consist/g,
    with: 'a valid label key must consist',
    reason: 'qualified names are called label keys',
    since: '1.34',
  },
  {
    pattern: /match regex (\(\[a-z0-9\]\(\[-_a-z0-9\]\*\[a-z0-9\]\)\?)\\\.\)\*(\S+?)(?=, |$|\]$)/g,
    with: 'match regex ^$1[\\./])*$2$',
    reason: 'sysctls may be written with slashes',
    since: '1.23',
  },
  {
    pattern: /(\.required\S+|podAffinityTerm)\.matchExpressions\.match/g,
    with: '$1.labelSelector.match',
    reason: 'selectors of affinity terms are named as they are',
    since: '1.25',
  },
  {
    pattern:
      /("(?:[^"\\]|\\.)*\.(?:[^"\\]|\\.)*"): a lowercase RFC 1123 label must consist of .*?regex used for validation is '\[a-z0-9\]\(\[-a-z0-9\]\*\[a-z0-9\]\)\?'\)/g,
    with: (text, value = '') =>
      /^"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"$/.test(value)
        ? `${value}: must not contain dots`
        : text,
    reason: 'the message about a label that is a valid subdomain names its dots',
    since: '1.30',
  },
]

/** A whole object or list in a message, which 1.20 prints as Go and 1.36 as JSON; both stand as `VALUE`. */
const GO_VALUE =
  / value: (?:map\[string\]interface \{\}\{.*?\}|&?(?:[[\]*\w.]|map\[)+\{.*?\}|map\[\w+\]\w+\(nil\)|core\.\w+\(nil\)|map\[.*?\]|\[\]\S+\(nil\)|null)(?=: \D|, (?:metadata|spec|status|template|rules|subjects|data|webhooks)[.[:]|\]?$)/g
const JSON_VALUE =
  / value: (?:"\d+m"(?=: must be an integer)|\{.*?\}|\[.*?\]|null)(?=: \D|, (?:metadata|spec|status|template|rules|subjects|data|webhooks)[.[:]|\]?$)/g

/** A comparison of Go structs that follows a message, in 1.20 and 1.36; its blanks differ from run to run. */
const STRUCT_DIFF = /\n[ \u00a0]+core\.\w+\{\n[^]*?\n[ \u00a0]+\}\n/g

/** The additions of 1.36 that 1.20 cannot know. */
const ADDED = /(?<=equal to \S+ limit) of [^\s,\]]+/g

/** Do both messages say the same, but for what 1.36 is known to say otherwise than 1.20? */
export function sameMessage(real: string, allot: string): boolean {
  let text = real
  for (const { pattern, with: words } of REWORDINGS)
    text = typeof words === 'string' ? text.replace(pattern, words) : text.replace(pattern, words)
  text = text.replace(STRUCT_DIFF, '')
  return (
    text === allot ||
    text.replace(GO_VALUE, ' value: VALUE') === allot.replace(ADDED, '').replace(JSON_VALUE, ' value: VALUE')
  )
}
