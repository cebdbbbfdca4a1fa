import type { BundledPackage } from './bundled-packages.ts'

const LINE = '-'.repeat(80)

const HEAD = `allot is licensed under the Apache License 2.0, see LICENSE.

The files in schemas/ are derived from the OpenAPI documents and protobuf definitions of Kubernetes,
Copyright The Kubernetes Authors, licensed under the Apache License 2.0, too.

The files in dist/ contain code of these packages:
`

/** Whose code is in the bundle, and under which licence. */
export function thirdPartyText(packages: readonly BundledPackage[]): string {
  const names = packages.map(({ name, version, license }) => `- ${name} ${version} (${license})`)
  const texts = packages.map(
    ({ name, version, license, licenseText }) =>
      `${LINE}\n${name} ${version}\n${LINE}\n\n${licenseText === '' ? `The package names the licence ${license} and has no text of it.` : licenseText}\n`,
  )
  return `${HEAD}\n${names.join('\n')}\n\n${texts.join('\n')}`
}
