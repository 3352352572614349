import { MESSAGING_USES } from '@mcpl-bridges/chat';
import { CORE_TAGS, type FeatureSet } from '@mcpl-bridges/protocol';
import { PORTAL_TAGS } from './relay/normalise.js';

/** What this server offers, each set listing every capability it exercises. */
export const FEATURE_SETS: Readonly<Record<string, FeatureSet>> = {
  'portal.messaging': {
    description: 'Read and write messages as a persona of a Portal relay; edits and deletions included',
    uses: [...MESSAGING_USES],
    tagOntology: {
      coreTags: CORE_TAGS.filter((tag) => !/command|to-self|from-self|:dm|private/.test(tag)),
      tags: Object.fromEntries(Object.entries(PORTAL_TAGS).map(([tag, description]) => [tag, { description }])),
      open: false,
    },
  },
  'portal.channels': { description: 'Make and remove channels', uses: ['tools'] },
  'portal.history': { description: 'Read what was said before', uses: ['tools'] },
  'portal.subscriptions': { description: 'Choose what to hear of, and see what is unread', uses: ['tools'] },
};
