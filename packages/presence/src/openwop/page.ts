/** Shows a channel's presence for a token that is typed in. Names nothing but refs, loads nothing from elsewhere. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Channel presence</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
  form { display: grid; gap: .75rem; }
  label { display: grid; gap: .25rem; font-weight: 600; }
  input, button { font: inherit; padding: .5rem .6rem; border: 1px solid #8886; border-radius: .4rem; }
  input { font-weight: 400; }
  button { cursor: pointer; justify-self: start; font-weight: 600; }
  #state { margin: 1.5rem 0 .5rem; color: GrayText; }
  ul { list-style: none; margin: 0; padding: 0; }
  li { padding: .35rem .1rem; border-bottom: 1px solid #8883; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
  li::before { content: ''; display: inline-block; width: .6rem; height: .6rem; margin-right: .6rem; border-radius: 50%; background: #2a9d55; }
  li.typing::after { content: ' is typing…'; font-style: italic; color: GrayText; }
</style>
<h1>Who is here</h1>
<form>
  <label>Channel <input name="channel" required placeholder="discord:…:…" autocomplete="off"></label>
  <label>Token <input name="token" type="password" required autocomplete="off"></label>
  <button>Show</button>
</form>
<p id="state" role="status">Nothing is shown yet.</p>
<ul id="present" aria-live="polite"></ul>
<script>
  const state = document.querySelector('#state');
  const list = document.querySelector('#present');
  const base = '/v1/host/mcpl-bridges/';
  let source;
  const clear = (text) => { state.textContent = text; list.replaceChildren(); };
  const show = ({ present, typing }) => {
    state.textContent = present.length === 1 ? 'One is here.' : present.length + ' are here.';
    list.replaceChildren(...present.map((ref) => {
      const item = document.createElement('li');
      item.textContent = ref;
      item.classList.toggle('typing', typing.includes(ref));
      return item;
    }));
  };
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    source?.close();
    const { channel, token } = event.target.elements;
    const answer = await fetch(base + 'session', { method: 'POST', headers: { Authorization: 'Bearer ' + token.value } });
    if (!answer.ok) return clear('This token is not known.');
    token.value = '';
    clear('Connecting…');
    source = new EventSource(base + 'channels/' + encodeURIComponent(channel.value) + '/presence');
    source.addEventListener('channel.presence', ({ data }) => show(JSON.parse(data)));
    source.addEventListener('error', () =>
      clear(source.readyState === EventSource.CLOSED ? 'You may not see this channel.' : 'Connecting again…'));
  });
</script>
</html>
`;

/** Its own script and styles, and nothing else from anywhere. */
export const PAGE_POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
