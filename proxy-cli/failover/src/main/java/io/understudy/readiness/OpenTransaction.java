package io.understudy.readiness;

/**
 * A transaction that is open on a standby and not of its applier.
 *
 * @param connection id of its connection; 0 for a prepared XA transaction whose connection has ended
 * @param user the account; empty if not known
 * @param seconds since it began
 * @param rows rows that it has changed
 */
record OpenTransaction(long connection, String user, long seconds, long rows) {}
