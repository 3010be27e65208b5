package io.understudy.readiness;

import java.util.Set;

/**
 * The tables of a server without those of the system.
 *
 * @param names schema and table, with a dot
 * @param onlyInnoDb whether the account sees InnoDB's dictionary only
 * @param complete whether there are no more of them than were read
 */
record TableNames(Set<String> names, boolean onlyInnoDb, boolean complete) {}
