import { ApplicationCommandOptionType, type RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';

/** The slash commands, as Discord is told of them. */
export const COMMANDS: readonly RESTPostAPIChatInputApplicationCommandsJSONBody[] = [
  {
    name: 'undo',
    description: "Take the newest messages out of the agent's context (administrators)",
    options: [
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'messages',
        description: 'How many, whoever wrote them; 1 unless you say more',
        min_value: 1,
        max_value: 50,
      },
    ],
  },
  {
    name: 'hide',
    description: "Take a message, or a range, out of the agent's context (administrators)",
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'message',
        description: 'Link or id of the message',
        required: true,
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'to',
        description: 'Link or id of the last message of a range',
      },
    ],
  },
  { name: 'nudge', description: 'Give the agent a turn on what it has, with nothing new (administrators)' },
  {
    name: 'unstick',
    description: 'Go back from what the model refuses, and try again (administrators)',
    options: [
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'max',
        description: 'How often it may go back; 3 unless you say otherwise',
        min_value: 1,
        max_value: 10,
      },
    ],
  },
];
