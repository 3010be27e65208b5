/**
 * What fills a standby's buffer pool, and what rebuilding a table would free: {@code report pages} and
 * {@code /api/standbys/{name}/pages}. {@link io.understudy.pages.PoolReader} asks the standby,
 * {@link io.understudy.pages.RebuildForecast} says what a rebuild would make of an index,
 * {@link io.understudy.pages.PagesReport} puts it in order. Rebuilding itself is in {@code cli.rebuild}.
 */
@NullMarked
package io.understudy.pages;

import org.jspecify.annotations.NullMarked;
