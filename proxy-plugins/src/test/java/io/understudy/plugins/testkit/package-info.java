/** Test doubles of the plugin API's views, shared by the tests of several plugins. */
@NullMarked
package io.understudy.plugins.testkit;

import org.jspecify.annotations.NullMarked;
