import type { BundledPackage } from './bundled-packages.ts'
import { manifest } from './root.ts'

/** The name of the file in the package, the image and the archives. */
export const SBOM_FILE = 'sbom.cdx.json'

/** A component in the words of CycloneDX. */
export interface SbomComponent {
  readonly type: 'application' | 'library' | 'file'
  readonly name: string
  readonly version?: string
  readonly purl?: string
  readonly licenses?: readonly [{ readonly expression: string }]
  readonly hashes?: readonly { readonly alg: 'SHA-256' | 'SHA-512'; readonly content: string }[]
}

interface Sbom {
  readonly components: readonly SbomComponent[]
}

/** The parts of the bundle, as CycloneDX. The text names no time, so that the same build has the same text. */
export function sbomOf(packages: readonly BundledPackage[]): string {
  const { name, version, license } = manifest()
  const application = {
    type: 'application',
    name,
    version,
    purl: purlOf(name, version),
    licenses: [{ expression: license }],
  }
  return textOf({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: application },
    components: packages.map(componentOf),
  })
}

/** The same with further components. */
export function sbomWith(sbom: string, further: readonly SbomComponent[]): string {
  const document = JSON.parse(sbom) as Sbom
  return textOf({ ...document, components: [...document.components, ...further] })
}

const textOf = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`

function componentOf({ name, version, license, integrity }: BundledPackage): SbomComponent {
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  return {
    type: 'library',
    name,
    version,
    purl: purlOf(name, version),
    licenses: [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content }],
  }
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`
