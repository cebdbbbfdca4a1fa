// The checks of a release that only read files.
import { createPrivateKey, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** Licences whose only demand is that they and the authors are named, which THIRD-PARTY.txt does. */
const LICENSES = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'])
const CHART = 'config/chart/Chart.yaml'

/** Where the version of a clone is named, if not everywhere as in package.json. */
export function versionProblems(root: string): readonly string[] {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { readonly version: string }
  const lock = JSON.parse(read('package-lock.json')) as {
    readonly version: string
    readonly packages: { readonly '': { readonly version: string } }
  }
  const named: (readonly [string, string])[] = [
    ['package-lock.json', lock.version],
    ['package-lock.json, packages', lock.packages[''].version],
    ['CHANGELOG.md, the first heading', /^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1] ?? 'none'],
  ]
  if (existsSync(join(root, CHART))) {
    const chart = parse(read(CHART)) as Readonly<Record<string, unknown>>
    for (const field of ['version', 'appVersion']) named.push([`${CHART}, ${field}`, String(chart[field])])
  }
  return named
    .filter(([, found]) => found !== version)
    .map(([place, found]) => `${place}: ${found}, and package.json names ${version}`)
}

/** Parts of an SBOM whose licence the release may not carry without a thought. */
export function licenseProblems(sbom: string): readonly string[] {
  const { components } = JSON.parse(sbom) as {
    readonly components: readonly {
      readonly name: string
      readonly version: string
      readonly licenses?: readonly { readonly expression: string }[]
    }[]
  }
  return components.flatMap(({ name, version, licenses }) => {
    const license = licenses?.[0]?.expression ?? 'none'
    return LICENSES.has(license) ? [] : [`${name} ${version} has the licence ${license}`]
  })
}

export interface AuditResult {
  readonly problems: readonly string[]
  /** Where nothing was checked, why. */
  readonly unchecked?: string
}

/** The result that `npm audit --json` printed. */
export function auditResult(stdout: string): AuditResult {
  const report = decoded(stdout) as {
    readonly message?: string
    readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
  }
  const { vulnerabilities, message } = report
  if (vulnerabilities === undefined) return { problems: [], unchecked: message ?? 'npm audit printed no report' }
  const problems = Object.entries(vulnerabilities).map(([name, { severity, range }]) => `${name} ${range}: ${severity}`)
  return { problems }
}

function decoded(text: string): object {
  try {
    return JSON.parse(text) as object
  } catch {
    return {}
  }
}

/** The signature of a text with a private key (PEM), which `openssl` verifies. */
export function signatureOf(text: string, pem: string): Buffer {
  const key = createPrivateKey(pem)
  const isEdwards = key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ed448'
  return sign(isEdwards ? null : 'sha256', Buffer.from(text), key)
}
