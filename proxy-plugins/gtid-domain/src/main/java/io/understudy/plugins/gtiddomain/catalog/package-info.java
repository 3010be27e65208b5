/**
 * The primary's data dictionary, as far as it says which writes depend on each other.
 *
 * <ul>
 *   <li><i>table family</i>: tables whose writes depend on each other by foreign keys, triggers' bodies, views,
 *       sequences in defaults or the MERGE engine; followed under one name ({@code Catalog}). Elsewhere in this plugin
 *       <i>table</i> stands for the whole family.
 *   <li><i>movable</i>: a family that may leave the default domain, since only statements write it.
 *   <li><i>relations</i>: the names under which a table's writes are followed: its family, the families that it had,
 *       and those written together with it ({@code Relations}).
 * </ul>
 */
@NullMarked
package io.understudy.plugins.gtiddomain.catalog;

import org.jspecify.annotations.NullMarked;
