/** A PEM text: a file that is read again when it changes, the text itself, or a function that returns the newest text. */
export type PemSource = { readonly file: string } | { readonly text: string } | { readonly newest: () => string }

/** The user that the server should treat the caller as. */
export interface ImpersonatedUser {
  readonly user: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

export const EXEC_API_VERSIONS = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
  'client.authentication.k8s.io/v1alpha1',
] as const
export type ExecApiVersion = (typeof EXEC_API_VERSIONS)[number]

export const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const
export type InteractiveMode = (typeof INTERACTIVE_MODES)[number]

/** A program that gives credentials (`users[].user.exec`). */
export interface ExecPlugin {
  readonly apiVersion: ExecApiVersion
  /** A path, or a name that is looked up in PATH. */
  readonly command: string
  readonly args: readonly string[]
  /** Besides those of this process. */
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly interactiveMode: InteractiveMode
  readonly provideClusterInfo: boolean
  /** The hint for the user when there is no such program. */
  readonly installHint: string
  /** `spec.cluster` of the ExecCredential that it is given, without the server and its trust. */
  readonly clusterConfig?: unknown
}

/** How a request authenticates; a client certificate may come besides. */
export type Credentials =
  | { readonly type: 'none' }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'token-file'; readonly file: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'exec'; readonly plugin: ExecPlugin }

/** One API server and the caller: what a kubeconfig's context says, or what a pod is given. */
export interface ClusterAccess {
  /** Where it was read, for messages: `~/.kube/config, context "dev"`. */
  readonly source: string
  /** `https://host:port`, perhaps with a path below which the API lies; never with a slash at its end. */
  readonly server: string
  /** The one to use where none is given. */
  readonly namespace: string
  /** The trusted authorities; left out: those of the system. */
  readonly authority?: PemSource
  readonly insecureSkipTlsVerify: boolean
  /** The name that the server's certificate must carry, instead of the one in `server`. */
  readonly tlsServerName?: string
  /** With user and password, if it needs them; never print it. */
  readonly proxyUrl?: string
  readonly clientCertificate?: { readonly certificate: PemSource; readonly key: PemSource }
  readonly credentials: Credentials
  readonly impersonation?: ImpersonatedUser
}
