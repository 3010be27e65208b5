package io.understudy.plugins.binlog;

import java.util.function.LongSupplier;

/**
 * What a subscriber asks of the one stream that all share.
 *
 * @param who names the subscriber in the log, as a plugin's id
 * @param tables it needs {@link BinlogTransaction#tables}, which are read as long as any subscriber needs them
 * @param serverId under which the primary is to know the connection, or 0 for any
 * @param restNanos asked on the stream's event loop after each read: nanoseconds for which the log may be left unread, 0 to read it as
 *     it arrives, see {@link io.understudy.plugin.WireStream#restNanos}. The stream rests as long as all subscribers allow
 */
public record BinlogNeeds(String who, boolean tables, long serverId, LongSupplier restNanos) {}
