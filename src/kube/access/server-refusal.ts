import { AdvisingError } from '../../machinery/advising-error.ts'
import type { ApiError } from '../../machinery/status.ts'
import type { ClusterAccess } from './cluster-access.ts'

/** The API server refused a request that is essential. The message names the request and the user. */
export class ServerRefusal extends AdvisingError {}

const OTHER_CONTEXT = 'choose another context with --context'

/** A refusal as something that people can act on: it names the server, and what of the kubeconfig was refused; no secrets. */
export function refusalBy(access: ClusterAccess, error: ApiError): ServerRefusal {
  const { server, source } = access
  const { code } = error.status
  const isAnonymous = access.credentials.type === 'none' && access.clientCertificate === undefined
  if (isAnonymous && (code === 401 || code === 403))
    return new ServerRefusal(
      `${server} requires a credential, and there is none in ${source}`,
      `name a user in that context, or ${OTHER_CONTEXT}`,
      { cause: error },
    )
  if (code === 401) {
    const { what, advice } = credentialOf(access)
    return new ServerRefusal(`${server} does not accept ${what} (Unauthorized)`, advice, { cause: error })
  }
  if (code === 403)
    return new ServerRefusal(
      `${server} refused: ${error.message}`,
      `grant it to the account of ${source}; docs/reference/allot-run.md lists all that is needed`,
      { cause: error },
    )
  if (code === 404)
    return new ServerRefusal(
      `${server} refused: ${error.message}`,
      'check that the server in the kubeconfig is a Kubernetes API server, and its path',
      { cause: error },
    )
  return new ServerRefusal(
    `${server} refused: ${error.message}`,
    'look at the health of the API server (kubectl get --raw /readyz?verbose) and at its log, then start again',
    { cause: error },
  )
}

interface Refused {
  readonly what: string
  readonly advice: string
}

function credentialOf({ source, credentials, clientCertificate }: ClusterAccess): Refused {
  switch (credentials.type) {
    case 'none': {
      const certificate = clientCertificate?.certificate
      const file = certificate !== undefined && 'file' in certificate ? `, file ${certificate.file}` : ''
      return {
        what: `the client certificate of ${source}${file}`,
        advice: `it has expired, or was signed by an authority that this server does not trust: get a new one, or ${OTHER_CONTEXT}`,
      }
    }
    case 'token':
      return {
        what: `the token of ${source}`,
        advice: `it has expired, was revoked or is of another cluster: get a new one, or ${OTHER_CONTEXT}`,
      }
    case 'token-file':
      return {
        what: `the token in ${credentials.file} (${source})`,
        advice: 'it has expired, was revoked or is of another cluster: see that a new one is put there',
      }
    case 'basic':
      return {
        what: `the user name and password of ${source}`,
        advice: `Kubernetes takes no passwords since 1.19: use a token or a client certificate, or ${OTHER_CONTEXT}`,
      }
    case 'exec':
      return {
        what: `the credential that ${credentials.plugin.command} gave (${source})`,
        advice: `log in again with that program, or ${OTHER_CONTEXT}`,
      }
    default:
      return credentials satisfies never
  }
}
