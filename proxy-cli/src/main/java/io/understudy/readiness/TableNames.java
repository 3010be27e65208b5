package io.understudy.readiness;

import java.util.Set;

/**
 * The tables of a server without those of the system.
 *
 * @param names schema and table, as {@link io.understudy.pages.TableOrPartition#written()} writes them
 * @param views those of them that are views
 * @param onlyInnoDb whether the account sees InnoDB's dictionary only
 * @param complete whether there are no more of them than were read
 */
record TableNames(Set<String> names, Set<String> views, boolean onlyInnoDb, boolean complete) {}
