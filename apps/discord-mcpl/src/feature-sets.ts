import { MESSAGING_USES } from '@mcpl-bridges/chat';
import { CORE_TAGS, type FeatureSet } from '@mcpl-bridges/protocol';

/** What this server offers, each set listing every capability it exercises. */
export const FEATURE_SETS: Readonly<Record<string, FeatureSet>> = {
  'discord.messaging': {
    description: 'Read and write Discord messages; edits and deletions included',
    uses: [...MESSAGING_USES],
    tagOntology: {
      coreTags: CORE_TAGS.filter((tag) => !/command|to-self|from-agent|from-self/.test(tag)),
      open: false,
    },
  },
  'discord.channels': { description: 'Make and remove Discord channels', uses: ['tools'] },
  'discord.history': { description: 'Read what was said in Discord before', uses: ['tools'] },
  'discord.subscriptions': { description: 'Choose what to hear of in Discord', uses: ['tools'] },
};
