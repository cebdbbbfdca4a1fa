import { isQualifiedName, isValidLabelValue, label1035Name, labelName, subdomainName } from '../../machinery/names.ts'
import type { Library } from './declaration.ts'
import { format, free, member, text } from './declaration.ts'
import { CelList, CelOptional } from '../types/value.ts'
import { FORMAT, STRING, listOf, optionalOf } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'
import { decodeBase64 } from './encoding.ts'
import { NamedFormat } from '../types/named-format.ts'
import { parseDate, parseTimestamp } from './time-text.ts'
import { readUrl } from './url.ts'

const NONE: readonly string[] = []

const unless = (valid: boolean, complaint: string): readonly string[] => (valid ? NONE : [complaint])

function uriComplaints(value: string): readonly string[] {
  const read = readUrl(value)
  return read instanceof Failure ? [read.message] : NONE
}

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

const FORMATS: readonly (readonly [name: string, format: NamedFormat])[] = [
  ['dns1123Label', new NamedFormat('DNS1123Label', 30, (value) => labelName(value, false))],
  ['dns1123Subdomain', new NamedFormat('DNS1123Subdomain', 60, (value) => subdomainName(value, false))],
  ['dns1035Label', new NamedFormat('DNS1035Label', 30, (value) => label1035Name(value, false))],
  ['qualifiedName', new NamedFormat('QualifiedName', 60, isQualifiedName)],
  ['dns1123LabelPrefix', new NamedFormat('DNS1123LabelPrefix', 30, (value) => labelName(value, true))],
  ['dns1123SubdomainPrefix', new NamedFormat('DNS1123SubdomainPrefix', 60, (value) => subdomainName(value, true))],
  ['dns1035LabelPrefix', new NamedFormat('DNS1035LabelPrefix', 30, (value) => label1035Name(value, true))],
  ['labelValue', new NamedFormat('LabelValue', 40, isValidLabelValue)],
  ['uri', new NamedFormat('URI', 1103, uriComplaints)],
  ['uuid', new NamedFormat('uuid', 70, (value) => unless(UUID.test(value), 'does not match the UUID format'))],
  ['byte', new NamedFormat('byte', 84, (value) => unless(decodeBase64(value) !== undefined, 'invalid base64'))],
  ['date', new NamedFormat('date', 71, (value) => unless(parseDate(value) !== undefined, 'invalid date'))],
  [
    'datetime',
    new NamedFormat('datetime', 71, (value) => unless(parseTimestamp(value) !== undefined, 'invalid datetime')),
  ],
]

const BY_NAME: ReadonlyMap<string, NamedFormat> = new Map(FORMATS)

function validate(of: NamedFormat, value: string): CelOptional {
  const complaints = of.validate(value)
  return complaints.length === 0 ? CelOptional.none : CelOptional.of(new CelList(complaints))
}

function named(name: string): CelOptional {
  const found = BY_NAME.get(name)
  return found === undefined ? CelOptional.none : CelOptional.of(found)
}

/** `format.named`, `format.dns1123Label` and the others, and `validate`. */
export const formats: Library = [
  ...FORMATS.map(([name, one]) => [`format.${name}`, [free(`format.${name}`, [], FORMAT, () => one)]] as const),
  ['format.named', [free('format-named', [text], optionalOf(FORMAT), ([name]) => named(name))]],
  [
    'validate',
    [member('format-validate', [format, text], optionalOf(listOf(STRING)), ([of, value]) => validate(of, value))],
  ],
]
