package io.understudy.plugin;

/**
 * The GTIDs that one result of a response reports.
 *
 * @param text as in {@link ResponseView#gtid}
 * @param nanos monotonic time of the read that delivered the packet with them
 */
public record ResultGtid(String text, long nanos) {}
