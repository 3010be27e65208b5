package io.understudy.sql;

/**
 * A pure read of the rows that an UPDATE, a DELETE or a locking read selects, by the same condition.
 *
 * @param text in the client's character set
 * @param summary of {@code text}, a pure read of one table
 */
public record Lookup(byte[] text, StatementSummary summary) {}
