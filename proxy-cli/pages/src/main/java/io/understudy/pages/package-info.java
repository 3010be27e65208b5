/**
 * Reports what fills a standby's buffer pool and what rebuilding a table would free: {@code report pages} and
 * {@code /api/standbys/{name}/pages}. {@link io.understudy.pages.PoolReader} queries the standby.
 * {@link io.understudy.pages.RebuildForecast} calculates the pages of an index after a rebuild.
 * {@link io.understudy.pages.PagesReport} sorts the result. The package {@code rebuild} does the rebuilding.
 */
@NullMarked
package io.understudy.pages;

import org.jspecify.annotations.NullMarked;
