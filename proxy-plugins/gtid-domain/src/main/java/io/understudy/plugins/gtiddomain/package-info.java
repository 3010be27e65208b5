/**
 * The plugin {@code gtid-domain}: its configuration, the parts between start and stop, and their views.
 * {@code docs/gtid-domains.md} lists the cases in which the guard cannot help. Plugin and section keep their name for
 * all three actions; a wider form such as {@code steer:} was decided against, since it would bring a migration and no
 * more. Each room defines its words:
 *
 * <ul>
 *   <li>{@code steering}: levers, which any account may use and which endanger no data;
 *   <li>{@code tagging}: the domain of a session's next write, and the injected statement that sets it;
 *   <li>{@code ownership}: the guard, which keeps dependent writes in one domain;
 *   <li>{@code progress}: what the standbys have applied;
 *   <li>{@code catalog}: which tables depend on each other.
 * </ul>
 */
@NullMarked
package io.understudy.plugins.gtiddomain;

import org.jspecify.annotations.NullMarked;
