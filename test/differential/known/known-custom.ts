import { inKinds, inPath, isCustom, onlyOneTells, type KnownDifference } from './occurrence.ts'

const isDefinition = inPath(/\/customresourcedefinitions/)

/** Of custom resources and their definitions. */
export const CUSTOM: readonly KnownDifference[] = [
  {
    pattern: /^rows\[\d+\]\.cells\[\d+\]: real "\d+s", allot "\d+s"$/,
    reason: 'a second passes between two answers',
    since: 'allot',
  },
  {
    pattern:
      /^metadata\.managedFields\[\d+\]\.fieldsV1\.f:status\.f:conditions\.k:\{"type":"(?:Established|NamesAccepted|Terminating)"\}: real nothing, allot \{/,
    when: inKinds('CustomResourceDefinition'),
    reason: 'the conditions of a definition are tracked one by one',
    since: '1.36',
  },
  {
    pattern: /^metadata\.managedFields\[0\]\.fieldsV1\.f:status: real \{"f:storedVersions":\{\}\}, allot nothing$/,
    when: inKinds('CustomResourceDefinition'),
    reason: 'who creates a definition does not own its status',
    since: '1.22',
  },
  {
    pattern: onlyOneTells('kube-apiserver'),
    when: inKinds('CustomResourceDefinition'),
    reason: 'the status of a definition is written a moment after the definition',
    since: 'allot',
  },
  {
    pattern: /^metadata\.managedFields: real nothing, allot \[\{"manager":"differential",/,
    when: inKinds('Gauge'),
    reason: 'whole objects no longer stay untracked when a custom resource is patched',
    since: '1.22',
  },
  {
    pattern:
      /^metadata\.managedFields\[0\]\.fieldsV1\.f:(?:status: real (?:nothing|\{".":\{\},"f:phase":\{\}\}), allot (?:nothing|\{".":\{\},"f:phase":\{\}\})|status\.\.: real nothing, allot \{\}|spec\.(?:f:replicas|\.): real \{\}, allot nothing)$/,
    when: inKinds('Gauge'),
    reason: 'the managed fields of a custom resource name the subresource',
    since: '1.22',
  },
  {
    pattern: /^details\.causes\[\d+\]\.reason: real "FieldValueInvalid", allot "FieldValueTypeInvalid"$/,
    when: isCustom,
    reason: 'values of another type have a reason of their own',
    since: '1.22',
  },
  {
    pattern: /^details\.causes\[\d+\]\.reason: real "FieldValueInvalid", allot "FieldValueTooLong"$/,
    when: isCustom,
    reason: 'texts that are too long have a reason of their own',
    since: '1.25',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: \\".*?\\": spec\.\w+ in body should be at most (\d+) chars long(.*)", allot "\1Too long: may not be more than \2 bytes\3"$/,
    when: isCustom,
    reason: 'texts that are too long are reported differently',
    since: '1.31',
  },
  {
    pattern: /^details\.causes\[\d+\]\.reason: real "FieldValueInvalid", allot "FieldValueTooMany"$/,
    when: isCustom,
    reason: 'lists and maps with too many members have a reason of their own',
    since: '1.25',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: \d+: spec\.\w+ in body should have at most (\d+) (?:items|properties)", allot "\1Too many: \d+: must have at most \2 items?"$/,
    when: isCustom,
    reason: 'lists and maps with too many members are reported differently',
    since: '1.25',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: \d+(: spec\.\w+ in body should have at least \d+ properties)", allot "\1Invalid value: \d+\2"$/,
    when: isCustom,
    reason: 'the message about a map with too few members names their number, not the limit',
    since: '1.25',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.(?:message|field)): real (?:"(.*)spec\.(\w+)(.*)", allot "\1spec\.\2(?:\[\d+\])+\3"|"(.*?)spec\.(\w+): (.*?)spec\.\5 (.*)", allot "\4spec\.\5(?:\[\d+\])+: \6spec\.\5(?:\[\d+\])+ \7")$/,
    when: isCustom,
    reason: 'errors in lists tell the place in the list',
    since: '1.23',
  },
  {
    pattern:
      /^(?:message|details\.causes): real .* in body must be of type integer: .*, allot .*Checked value must be of type integer \(default format\) in /,
    when: isCustom,
    reason: 'a number with a fraction is reported twice where an integer is wanted',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)x-preserve-unknown-fields(.*)", allot "\1x-kubernetes-preserve-unknown-fields\2"$/,
    when: isDefinition,
    reason: 'the extension is called by its name',
    since: '1.21',
  },
  {
    pattern:
      /^(?:message: real "(.*)\.default: (.*):  in body (.*)", allot "\1\.default\.\[\d+\]: \2: \[\d+\] in body \3"|details\.causes\[\d+\]\.message: real "(.*):  in body (.*)", allot "\4: \[\d+\] in body \5"|details\.causes\[\d+\]\.field: real "(.*\.default)", allot "\6\.\[\d+\]")$/,
    when: isDefinition,
    reason: 'errors in lists of a default tell the place in the list',
    since: '1.23',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)(Invalid value: \\"\w+\\"): must appear in spec\.versions", allot "\1\2: missing from spec\.versions; /,
    when: isDefinition,
    reason: 'what a stored version needs is explained',
    since: '1.27',
  },
  {
    pattern:
      /^details\.causes: real \[\{"reason":"FieldValueInvalid","message":"Invalid value: map\[string\]interface \{\}\{[^}]*\}: v1\.ObjectMeta\.Name: ReadString: .*\.default\.metadata"\}\], allot \[/,
    when: isDefinition,
    reason: 'metadata in defaults is decoded by another library, which goes on after what is of another type',
    since: '1.22',
  },
  {
    pattern:
      /^(?:message|details\.causes\[\d+\]\.message): real "(.*)Invalid value: apiextensions\.JSONSchemaProps\{.*\}: only (.*)\](.*)", allot "\1Invalid value: \{.*\}: only \2 XValidations\]\3"$/,
    when: isDefinition,
    reason: 'a schema in a message is printed as JSON, not as Go prints it, and rules may stand at its root',
    since: '1.33',
  },
  {
    pattern:
      /^(?:message: real "customresourcedefinitions\.apiextensions\.k8s\.io \\"\w+\\" not found", allot "the server could not find the requested resource"|details: real \{.*\}, allot nothing)$/,
    when: inPath(/\/v1beta1\/customresourcedefinitions/),
    reason: 'v1beta1 of definitions is not served any more',
    since: '1.22',
  },
  {
    pattern:
      /^(?:items\[\d+\]\.)?metadata\.managedFields\[\d+\]\.fieldsV1\.f:metadata\.f:labels\.f:\S+: real \{\}, allot nothing$/,
    when: inKinds('CustomResourceDefinition'),
    reason: 'what a write of the status says of the metadata in vain it does not own',
    since: '1.22',
  },
]
