/** The versions of Kubernetes' own groups that an installation chooses from, with the minor versions of Kubernetes that have them. */
const OFFERED: Readonly<Record<string, { readonly from: number; readonly to: number }>> = {
  'policy/v1': { from: 21, to: Infinity },
  'policy/v1beta1': { from: 5, to: 24 },
  'flowcontrol.apiserver.k8s.io/v1beta1': { from: 20, to: 25 },
  'flowcontrol.apiserver.k8s.io/v1beta2': { from: 23, to: 28 },
  'flowcontrol.apiserver.k8s.io/v1beta3': { from: 26, to: 31 },
  'flowcontrol.apiserver.k8s.io/v1': { from: 29, to: Infinity },
}

/** The groups and versions that Kubernetes 1.`minor` offers of those that matter here; of the newest one without it. */
export const offeredBy = (minor = Infinity): readonly string[] =>
  Object.entries(OFFERED).flatMap(([apiVersion, { from, to }]) => (minor >= from && minor <= to ? [apiVersion] : []))
