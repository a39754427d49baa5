/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What liballoc/device/cuda-abi.h and allocctl/cudart.h declare against cuda.h
 * and cuda_runtime_api.h: it compiles, or names what differs.  device.sh writes
 * numbers.h.
 */
#include <cstddef>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "cudart.h"
#include "device/cuda-abi.h"

template <class A, class B>
struct same {
	static const bool value = sizeof(A) == sizeof(B);
};

template <class A, class B>
struct same<A *, B> {
	static const bool value = false;
};

template <class A, class B>
struct same<A, B *> {
	static const bool value = false;
};

/* What pointers point to: handles and structures by their size. */
template <class A, class B>
struct same<A *, B *> {
	static const bool value = same<A, B>::value;
};

template <>
struct same<la_cu_context, CUcontext> {
	static const bool value = true;
};
template <>
struct same<la_cu_stream, CUstream> {
	static const bool value = true;
};
template <>
struct same<la_cu_event, CUevent> {
	static const bool value = true;
};

template <class... A>
struct list;

template <class A, class B>
struct same_list;

template <>
struct same_list<list<>, list<>> {
	static const bool value = true;
};

template <class A, class... As, class B, class... Bs>
struct same_list<list<A, As...>, list<B, Bs...>> {
	static const bool value = same<A, B>::value &&
				  same_list<list<As...>, list<Bs...>>::value;
};

/* Functions of different length are never the same. */
template <class A>
struct same_list<list<>, list<A>> {
	static const bool value = false;
};

template <class A, class B>
struct same_call;

template <class R, class... A, class S, class... B>
struct same_call<R(A...), S(B...)> {
	static_assert(sizeof...(A) == sizeof...(B), "parameters");
	static const bool value = same<R, S>::value &&
				  same_list<list<A...>, list<B...>>::value;
};

#define CHECK(member, name, parameters)                            \
	static_assert(same_call<la_cu_result parameters,           \
				decltype(name)>::value,            \
		      #name);
LA_CU_CALLS(CHECK)

#define CHECK_RUNTIME(member, name, result, parameters)            \
	static_assert(same_call<result parameters,                 \
				decltype(name)>::value,            \
		      #name);
CUDART_CALLS(CHECK_RUNTIME)

#define MEMBER(ours, our_member, theirs, their_member)                     \
	static_assert(offsetof(ours, our_member) ==                       \
				      offsetof(theirs, their_member) &&   \
			      sizeof(((ours *)0)->our_member) ==          \
				      sizeof(((theirs *)0)->their_member), \
		      #ours " " #our_member);
#define WHOLE(ours, theirs) \
	static_assert(sizeof(ours) == sizeof(theirs), #ours);
WHOLE(la_cu_location, CUmemLocation)
MEMBER(la_cu_location, type, CUmemLocation, type)
MEMBER(la_cu_location, id, CUmemLocation, id)
WHOLE(la_cu_piece_kind, CUmemAllocationProp)
MEMBER(la_cu_piece_kind, type, CUmemAllocationProp, type)
MEMBER(la_cu_piece_kind, export_types, CUmemAllocationProp,
       requestedHandleTypes)
MEMBER(la_cu_piece_kind, location, CUmemAllocationProp, location)
MEMBER(la_cu_piece_kind, windows, CUmemAllocationProp, win32HandleMetaData)
MEMBER(la_cu_piece_kind, flags, CUmemAllocationProp, allocFlags)
MEMBER(la_cu_piece_kind, flags.compression, CUmemAllocationProp,
       allocFlags.compressionType)
MEMBER(la_cu_piece_kind, flags.rdma, CUmemAllocationProp,
       allocFlags.gpuDirectRDMACapable)
MEMBER(la_cu_piece_kind, flags.usage, CUmemAllocationProp, allocFlags.usage)
WHOLE(la_cu_access, CUmemAccessDesc)
MEMBER(la_cu_access, location, CUmemAccessDesc, location)
MEMBER(la_cu_access, flags, CUmemAccessDesc, flags)

#define NUMBER(ours, theirs) \
	static_assert((int)ours == (int)theirs, #ours);
#include "numbers.h"

int main()
{
	return 0;
}
