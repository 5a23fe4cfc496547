/**
 * The page that holds Stately's inspector and hands it what comes over the socket. It asks nobody but its own server and the
 * inspector's address, and gives nothing to another.
 */
export interface PageOptions {
  /** Of the inspector, such as https://stately.ai/inspect. */
  readonly inspectorUrl: URL
  readonly socketUrl: string
  readonly nonce: string
}

export function pageHeaders({ inspectorUrl, socketUrl, nonce }: PageOptions): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `frame-src ${inspectorUrl.origin}`,
    `connect-src ${new URL(socketUrl).origin}`,
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

export function pageHtml({ inspectorUrl, socketUrl, nonce }: PageOptions): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Subagents in Stately Inspector</title>
<style nonce="${nonce}">
  html, body { margin: 0; height: 100% }
  iframe { border: 0; width: 100%; height: 100% }
  p { position: fixed; inset: auto 0 0 0; margin: 0; padding: .5em 1em; font: 14px system-ui, sans-serif; background: #fff; color: #222; border-top: 1px solid #999 }
</style>
<iframe id="inspector" title="Stately Inspector" src="${escapeHtml(inspectorUrl.href)}"></iframe>
<p id="ended" role="status" hidden>The program has ended, or its connection is gone. What is shown is as far as it came.</p>
<script nonce="${nonce}">
  const frame = document.getElementById('inspector')
  const origin = ${scriptText(inspectorUrl.origin)}
  const kept = []
  let connected = false
  const give = (message) => frame.contentWindow.postMessage(message, origin)
  addEventListener('message', ({ data, source }) => {
    if (source !== frame.contentWindow || data?.type !== '@statelyai.connected') return
    connected = true
    for (const message of kept) give(message)
  })
  const socket = new WebSocket(${scriptText(socketUrl)})
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    // Kept also after that: the inspector asks again when it was loaded again.
    kept.push(message)
    if (kept.length > 20000) kept.splice(0, 10000)
    if (connected) give(message)
  }
  socket.onclose = () => { document.getElementById('ended').hidden = false }
</script>
`
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
/** A string for a script, which `</script>` in it cannot end. */
const scriptText = (text: string): string => JSON.stringify(text).replace(/</g, '\\u003c')
