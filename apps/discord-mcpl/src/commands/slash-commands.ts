import type { ChatBridge, CommandReport } from '@mcpl-bridges/chat';
import {
  type ChatInputCommandInteraction,
  type Client,
  type Guild,
  type Interaction,
  MessageFlags,
  Routes,
} from 'discord.js';
import type { Logger } from 'pino';
import { COMMANDS } from './definitions.js';
import { CommandProblem, readCommand } from './read-command.js';

export interface SlashCommandsOptions {
  readonly client: Client<true>;
  readonly bridge: Pick<ChatBridge, 'command'>;
  /** Users who may give commands. */
  readonly admins: ReadonlySet<string>;
  /** Whether the operator lets something of a server through. */
  readonly passes: (guild: Guild) => boolean;
  readonly log: Logger;
}

/** Commands of administrators to the agent's host, by slash. */
export class SlashCommands {
  constructor(private readonly options: SlashCommandsOptions) {
    options.client.on('interactionCreate', (interaction) => void this.take(interaction));
  }

  /** Shows the commands in a server, where anybody may give them. */
  async offer(guild: Guild): Promise<void> {
    const { client, admins, passes, log } = this.options;
    if (admins.size === 0 || !passes(guild)) return;
    try {
      await client.rest.put(Routes.applicationGuildCommands(client.application.id, guild.id), { body: COMMANDS });
    } catch (error) {
      log.warn({ guildId: guild.id, reason: (error as Error).message }, 'the slash commands are not shown in a server');
    }
  }

  private async take(interaction: Interaction): Promise<void> {
    if (!interaction.isChatInputCommand()) return;
    const { commandName: command, id } = interaction;
    try {
      await this.answer(interaction);
    } catch (error) {
      this.options.log.warn({ command, id, reason: (error as Error).message }, 'a slash command was not answered');
    }
  }

  private async answer(interaction: ChatInputCommandInteraction): Promise<void> {
    const { admins, passes, bridge, log } = this.options;
    const { commandName: name, user, guild, channelId } = interaction;
    const refuse = (content: string) => interaction.reply({ content, flags: MessageFlags.Ephemeral });
    if (!admins.has(user.id) || !guild || !passes(guild)) {
      log.warn({ command: name, userId: user.id }, 'somebody who may not has given a command');
      await refuse(`Only this bot's administrators may use /${name}.`);
      return;
    }
    let command: Parameters<ChatBridge['command']>[0];
    try {
      command = readCommand(name, interaction.options, channelId);
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
      await refuse(error.message);
      return;
    }
    log.info({ command: name, userId: user.id, channelId }, 'an administrator gives a command');
    // A nudge is to bring nothing new: what everybody can see would be.
    await interaction.deferReply(name === 'nudge' ? { flags: MessageFlags.Ephemeral } : {});
    const report: CommandReport = await bridge.command(command, { id: user.id, name: user.username });
    await interaction.editReply({ content: report.text, allowedMentions: { parse: [] } });
  }
}
